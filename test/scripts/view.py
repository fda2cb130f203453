"""The server of `trammel view` from outside: what it answers, what it refuses, how runs end.

Surroundings: TRAMMEL_PAGED, the program with a page of a few lines in it. Prints "N passed, M failed", exit code 1 on
failure.
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import page_data
from suite import run_all, test

program = os.environ["TRAMMEL_PAGED"]
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-view-"))

PENDULUM = """title "Pendulum"
param m = 2, L = 1, g = 9.81
coord x, y
initial x = L, y = 0
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
simulate until 1, every 0.1
plot "Position": x, y
"""
# Quick = 1 ends at once: a second run that needs no other file, which the child of the first might read instead.
ENDLESS = """coord x
param quick = 0
initial x = 1
kinetic x'^2/2
potential 5e9*(1 - quick)*x^2
simulate until 1e9*(1 - quick) + 1, every 1e8
"""


def model(text, name="m.tram"):
    """Written beside it and renamed: a server that reads meanwhile finds the old text or the new one, whole."""
    path = scratch / name
    new = scratch / (name + ".new")
    new.write_text(text)
    new.replace(path)
    return str(path)


class Viewing:
    def __init__(self, path, *options):
        self.process = subprocess.Popen([program, "view", path, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True, cwd=scratch)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:") and self.address.endswith("/"), self.address
        self.port = int(self.address.split(":")[2].strip("/"))

    def get(self, path, method="GET", **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in fields.items()})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, body

    def answers(self):
        try:
            return self.get("/data")[0] == 200
        except (ConnectionError, http.client.HTTPException):
            return False

    def data(self, query="", status=200, ask="/data"):
        got, headers, body = self.get(ask + query)
        assert got == status, (got, body)
        assert headers["Content-Type"] == "application/json" and headers["X-Content-Type-Options"] == "nosniff"
        return page_data.read(body)

    def raw(self, request):
        """The status with which the bytes are answered."""
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                s.sendall(request)
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := s.recv(65536):
                    answer += piece
        return int(answer.split()[1]) if answer else 0


@contextlib.contextmanager
def viewing(path, *options):
    v = Viewing(path, *options)
    try:
        yield v
        assert v.process.poll() is None, "the server ended: " + v.process.stderr.read()
    finally:
        v.process.send_signal(signal.SIGINT)
        _, err = v.process.communicate()
    assert v.process.returncode == 0 and "Sanitizer" not in err and "runtime error" not in err, err


def wait_for(condition):
    """As long as it takes: the runner of the tests ends what never ends."""
    while not condition():
        time.sleep(0.01)


def column(data, name):
    return next(c["values"] for c in data["columns"] if c["name"] == name)


@test
def page_and_data():
    with viewing(model(PENDULUM)) as v:
        status, headers, body = v.get("/")
        assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
        known = json.loads(body.split('id="data">')[1].split("</script>")[0])
        assert known["served"] is True and known["title"] == "Pendulum" and known["text"] == PENDULUM
        assert [p["name"] for p in known["parameters"]] == ["m", "L", "g"] and "times" not in known and not known.get("error")
        first, plain = v.data(ask="/run"), v.data()
        assert plain["served"] is True and plain["columns"] == first["columns"] and "<math" in first["equations"]
        assert plain["equations"] == first["equations"]
    many = "coord x[1..13]\nfor i in 1..13: mass x[i] = 1\nsimulate until 1\n"
    with viewing(model(many, "many.tram")) as v:
        assert "equations" not in v.data() and "<math" in v.data(ask="/run")["equations"]


@test
def the_page_does_not_wait_for_the_run():
    with viewing(model(ENDLESS)) as v:
        status, _, body = v.get("/")
        assert status == 200 and "given up" not in body and '"quick"' in body
        assert children(v.process.pid) == []


@test
def the_browser_is_opened_where_somebody_sits():
    folder = scratch / "desktop"
    folder.mkdir()
    opener = folder / "xdg-open"
    opener.write_text('#!/bin/sh\necho "$@" >"$OPENED.part" && mv "$OPENED.part" "$OPENED"\n')
    opener.chmod(0o755)
    path = model(PENDULUM)
    for k, (options, display, opens) in enumerate((([], ":0", True), (["--no-browser"], ":0", False), ([], None, False))):
        opened = folder / f"opened-{k}"
        env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "OPENED": str(opened)}
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            env.pop(name, None)
        if display:
            env["DISPLAY"] = display
        ours, theirs = os.openpty()
        process = subprocess.Popen([program, "view", path, *options], stdout=subprocess.PIPE, stderr=theirs, env=env, text=True)
        os.close(theirs)
        address = process.stdout.readline().strip()
        said = os.read(ours, 1000).decode()
        if opens:
            wait_for(opened.exists)
            assert opened.read_text().strip() == address and "opens in the browser" in said, said
        else:
            assert "open this address" in said and not opened.exists(), said
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        process.stdout.close()
        os.close(ours)


@test
def parameters_of_a_request():
    path = model(PENDULUM)
    with viewing(path, "--set", "g=1", "--until", "2") as v:
        fresh = json.loads(subprocess.run([program, "run", path, "--json", "--set", "g=1", "--until", "2", "--set", "L=1.5"],
                                          capture_output=True, text=True).stdout)
        data = v.data("?L=1.5")
        assert column(data, "x")[-1] == fresh["final"]["x"] and data["times"][-1] == 2
        assert {p["name"]: p["value"] for p in data["parameters"]} == {"m": 2, "L": 1.5, "g": 1}
        assert v.data("?L=1%2B0.5")["columns"] == data["columns"] and v.data("?g=1&L=3%2F2")["columns"] == data["columns"]
        assert v.data("?g=2")["columns"] != v.data("?g=3")["columns"]


@test
def errors_as_in_the_terminal():
    path = model(PENDULUM)
    with viewing(path) as v:
        assert "the model has no parameter 'K'" in v.data("?K=1")["error"]
        assert v.data("?L=1/")["error"].startswith("set L:1:3: error: ")
        error = v.data("?L=%22%3C/script%3E")["error"]
        assert "</script>" in error
        model(PENDULUM.replace("rod: x^2", "rod: q^2"))
        terminal = subprocess.run([program, "run", path], capture_output=True, text=True).stderr
        assert v.data()["error"] == terminal
        status, _, body = v.get("/")
        assert status == 200
        assert json.loads(body.split('id="data">')[1].split("</script>")[0])["error"] == terminal
        model(PENDULUM)
        assert "error" not in v.data()


@test
def a_wrong_model_is_served():
    with viewing(model("coord x\nkinetic m*x'^2\n", "wrong.tram")) as v:
        assert "unknown name 'm'" in v.data()["error"]


@test
def refused():
    with viewing(model(PENDULUM)) as v:
        here = f"127.0.0.1:{v.port}"
        good = f"GET /data HTTP/1.1\r\nHost: {here}\r\n"
        for status, head in [
            (200, good), (200, f"GET /data HTTP/1.1\r\nhost:LOCALHOST:{v.port} \r\n"),
            (200, good + f"Origin: http://localhost:{v.port}\r\n"), (200, good + "Sec-Fetch-Site: same-origin\r\n"),
            (400, "GET /data HTTP/1.1\r\n"), (400, good + f"Host: {here}\r\n"),
            (403, "GET /data HTTP/1.1\r\nHost: example.org\r\n"), (403, f"GET / HTTP/1.1\r\nHost: evil.org:{v.port}\r\n"),
            (403, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{v.port + 1}\r\n"), (403, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"),
            (403, f"GET / HTTP/1.1\r\nHost: {here}.evil.org\r\n"), (403, f"GET / HTTP/1.1\r\nHost: evil@{here}\r\n"),
            (403, good + "Origin: http://evil.org\r\n"), (403, good + "Origin: null\r\n"),
            (403, good + f"Origin: https://{here}\r\n"), (403, good + f"Origin: http://{here}.evil.org\r\n"),
            (403, good + "Sec-Fetch-Site: cross-site\r\n"), (403, good + "Origin:\r\n"),
            (405, f"POST /data HTTP/1.1\r\nHost: {here}\r\nContent-Length: 0\r\n"), (405, f"HEAD / HTTP/1.1\r\nHost: {here}\r\n"),
            (405, f"OPTIONS * HTTP/1.1\r\nHost: {here}\r\n".replace(" * ", " / ")), (405, f"DELETE / HTTP/1.1\r\nHost: {here}\r\n"),
            (400, f"get / HTTP/1.1\r\nHost: {here}\r\n"), (400, f"GET  / HTTP/1.1\r\nHost: {here}\r\n"),
            (400, f"GET / HTTP/2.0\r\nHost: {here}\r\n"), (400, f"GET /\r\nHost: {here}\r\n"), (400, "\r\n"), (400, "x\r\n"),
            (400, f"GET http://{here}/ HTTP/1.1\r\nHost: {here}\r\n"), (400, f"GET /\x01 HTTP/1.1\r\nHost: {here}\r\n"),
            (400, good + "no colon\r\n"), (400, good + " folded: x\r\n"), (400, f"GET /data\0 HTTP/1.1\r\nHost: {here}\r\n"),
            (400, f"GET /data?L HTTP/1.1\r\nHost: {here}\r\n"), (400, f"GET /data?=1 HTTP/1.1\r\nHost: {here}\r\n"),
            (400, f"GET /data?L=%zz HTTP/1.1\r\nHost: {here}\r\n"), (400, f"GET /data?L=%0 HTTP/1.1\r\nHost: {here}\r\n"),
            (400, f"GET /data?L=1%00 HTTP/1.1\r\nHost: {here}\r\n"), (400, f"GET /data?L= HTTP/1.1\r\nHost: {here}\r\n"),
            (400, "GET /data?" + "&".join(f"a{i}=1" for i in range(300)) + f" HTTP/1.1\r\nHost: {here}\r\n"),
            (404, f"GET /m.tram HTTP/1.1\r\nHost: {here}\r\n"), (404, f"GET /../m.tram HTTP/1.1\r\nHost: {here}\r\n"),
            (404, f"GET /data/ HTTP/1.1\r\nHost: {here}\r\n"), (404, f"GET /etc/passwd HTTP/1.1\r\nHost: {here}\r\n"),
            (404, f"GET //data HTTP/1.1\r\nHost: {here}\r\n"), (404, f"GET /%64ata HTTP/1.1\r\nHost: {here}\r\n"),
            (404, f"GET /favicon.ico HTTP/1.1\r\nHost: {here}\r\n"),
            (404, "GET /" + "a" * 500 + f" HTTP/1.1\r\nHost: {here}\r\n"),
            (414, "GET /data?L=" + "1" * 9000 + f" HTTP/1.1\r\nHost: {here}\r\n"),
        ]:
            got = v.raw(head.encode() + b"\r\n")
            assert got == status, (status, got, head)
        assert v.raw(b"GET /" + b"a" * 100_000) == 414
        assert v.raw(good.encode() + b"X: " + b"a" * 100_000) == 431
        assert v.raw(good.encode() + b"X: y\r\n" * 20_000) == 431
        assert v.raw(os.urandom(100) + b"\r\n\r\n") == 400


@test
def a_request_in_pieces_and_one_that_stops():
    with viewing(model(PENDULUM)) as v:
        idle = [socket.create_connection(("127.0.0.1", v.port)) for _ in range(10)]
        idle[0].sendall(b"GET /data HT")
        with socket.create_connection(("127.0.0.1", v.port)) as s:
            for byte in f"GET /data HTTP/1.1\r\nHost: localhost:{v.port}\r\n\r\n":
                s.sendall(byte.encode())
                time.sleep(0.001)
            assert b"200 OK" in s.recv(1000)
        for s in idle:
            s.close()
        assert v.data()["title"] == "Pendulum"


@test
def unfinished_connections_shut_nobody_out():
    with viewing(model(PENDULUM)) as v:
        with contextlib.ExitStack() as crowd:
            for i in range(200):
                s = crowd.enter_context(socket.create_connection(("127.0.0.1", v.port)))
                if i % 2:
                    s.sendall(b"GET /data HTTP/1.1\r\nHost:")
                if i % 20 == 0:
                    assert v.data()["title"] == "Pendulum"
            assert v.data()["title"] == "Pendulum" and v.get("/")[0] == 200
        assert v.data()["title"] == "Pendulum"


def half_closed(v, target):
    """A connection on which all is said, and that is seen by the other side."""
    s = socket.create_connection(("127.0.0.1", v.port), timeout=100)
    s.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{v.port}\r\n\r\n".encode())
    s.shutdown(socket.SHUT_WR)
    return s


def heard(s):
    answer = b""
    while piece := s.recv(65536):
        answer += piece
    return answer.decode()


@test
def a_client_that_half_closes():
    path = model(PENDULUM)
    with viewing(path) as v:
        for target, start in (("/data", "200 OK"), ("/run", "200 OK"), ("/", "200 OK"), ("/nothing", "404 Not Found")):
            with half_closed(v, target) as s:
                answer = heard(s)
            assert answer.startswith("HTTP/1.1 " + start + "\r\n"), answer[:200]
            head, body = answer.split("\r\n\r\n", 1)
            assert f"Content-Length: {len(body.encode())}" in head, head
        with half_closed(v, "/events") as s:
            answer = b""
            while b"retry" not in answer:
                answer += s.recv(1000)
            model(PENDULUM.replace("L = 1,", "L = 2,"))
            while b"event: changed" not in answer:
                answer += s.recv(1000)
        # an answer that takes a while begins at once
        model(ENDLESS)
        with half_closed(v, "/data") as s:
            assert s.recv(100) == b"HTTP/1.1 "
            assert column(v.data("?quick=1"), "x")[-1] == 1
            answer = heard(s)
        assert answer.startswith("503 Service Unavailable\r\n") and "another run" in answer, answer


@test
def one_that_half_closes_and_goes():
    with viewing(model(ENDLESS)) as v:
        s = half_closed(v, "/data")
        assert s.recv(100) == b"HTTP/1.1 "  # the server has noticed
        assert len(children(v.process.pid)) == 1
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()
        while children(v.process.pid):
            time.sleep(0.1)


@test
def events_when_the_model_is_saved():
    path = model(PENDULUM)
    with viewing(path) as v:
        with socket.create_connection(("127.0.0.1", v.port)) as s:
            s.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{v.port}\r\n\r\n".encode())
            heard = b""
            while b"retry" not in heard:
                heard += s.recv(1000)
            assert b"text/event-stream" in heard and b"changed" not in heard
            for text in (PENDULUM.replace("L = 1,", "L = 2,"), PENDULUM.replace("L = 1,", "L = 3,")):
                model(text)
                heard = b""
                while b"event: changed\ndata: changed\n\n" not in heard:
                    heard += s.recv(1000)
            assert column(v.data(), "x")[0] == 3


@test
def the_next_run_ends_the_one_before():
    with viewing(model(ENDLESS)) as v:
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(v.get("/data")))
        waiting.start()
        wait_for(lambda: children(v.process.pid))
        assert column(v.data("?quick=1"), "x")[-1] == 1
        waiting.join()
        (status, _, body), = answers
        assert status == 503 and "another run" in json.loads(body)["error"]
        assert children(v.process.pid) == []


def children(pid):
    listed = subprocess.run(["ps", "-o", "pid=,stat=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [line for line in listed.split("\n") if line.strip()]


@test
def who_goes_away_ends_the_run():
    with viewing(model(ENDLESS)) as v:
        with socket.create_connection(("127.0.0.1", v.port)) as s:
            s.sendall(f"GET /data HTTP/1.1\r\nHost: 127.0.0.1:{v.port}\r\n\r\n".encode())
            wait_for(lambda: children(v.process.pid))
            assert len(children(v.process.pid)) == 1
        wait_for(lambda: not children(v.process.pid))


@test
def a_run_is_limited_in_time():
    with viewing(model(ENDLESS)) as v:
        data = v.data()
        assert "longer than 10 s" in data["error"] and data["model"] == "m.tram" and "coord" in data["text"] and data["served"]
        assert [p["name"] for p in data["parameters"]] == re.findall(r"param (\w+)", ENDLESS)
        assert children(v.process.pid) == []


@test
def ends_on_interruption_with_a_run_under_way():
    with viewing(model(ENDLESS)) as v:
        s = socket.create_connection(("127.0.0.1", v.port))
        s.sendall(f"GET /run HTTP/1.1\r\nHost: 127.0.0.1:{v.port}\r\n\r\n".encode())
        wait_for(lambda: children(v.process.pid))
    s.close()


@test
def only_the_loopback_address():
    with viewing(model(PENDULUM)) as v:
        with open("/proc/net/tcp") as file:
            own = [line.split() for line in file if line.split()[1].endswith(f":{v.port:04X}") and line.split()[3] == "0A"]
        assert [fields[1].split(":")[0] for fields in own] == ["0100007F"], own


@test
def ports():
    path = model(PENDULUM)
    with viewing(path) as v:
        done = subprocess.run([program, "view", path, "--port", str(v.port)], capture_output=True, text=True)
        assert done.returncode == 4 and "cannot listen" in done.stderr, done
        port = v.port
    with viewing(path, "--port", str(port)) as v:
        assert v.port == port
    for wrong in ("x", "-1", "65536", "1e3", ""):
        done = subprocess.run([program, "view", path, f"--port={wrong}"], capture_output=True, text=True)
        assert done.returncode == 2 and "--port" in done.stderr, done
    done = subprocess.run([program, "view", str(scratch / "nowhere.tram")], capture_output=True, text=True)
    assert done.returncode == 4, done


code = run_all()
shutil.rmtree(scratch)
sys.exit(code)
