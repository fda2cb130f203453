"""What becomes of files: the model's own, results that are there, links, pipes, full disks; and of signals at any time.

Surroundings: TRAMMEL, the program, and TRAMMEL_PAGED, the same with a page of a few lines in it. Prints "N passed, M
failed", exit code 1 on failure.
"""
import contextlib
import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

from suite import run_all, test

program, paged = os.environ["TRAMMEL"], os.environ["TRAMMEL_PAGED"]
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-files-"))

PARTS = "coord x, y\ninitial x = 1, y' = 1\nkinetic (x'^2 + y'^2)/2\nconstraint r: x^2 + y^2 = 1\n"
MODEL = 'include "parts.tram"\nsimulate until 1, every 0.1\nplot "Path": y vs x\n'
FAILS = "coord x\ninitial x' = 1\nkinetic x'^2/2\nforce x = log(0.5 - t)\nsimulate until 1, every 0.1\n"
HOPELESS = "coord x\ninitial x = 1\nkinetic x'^2/2\nconstraint c: x = 2\nconstraint d: x = 3\nsimulate until 1\n"
ENDLESS = "coord x\ninitial x = 1\nkinetic x'^2/2\npotential 5e5*x^2\nsimulate until 1e9, every 0.01\nplot \"x\": x\n"
FIGURE = "coord x\nkinetic x'^2/2\nsimulate until 1\nplot \"x\": x\n"
HEAVY = "coord x\nkinetic x'^2\npotential " + "+".join(f"sin({i}*x)" for i in range(700_000)) + "\nsimulate until 1\n"
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
ROBOT = f'<robot name="r"><link name="a"><inertial><mass value="1"/>{INERTIA}</inertial></link></robot>'


def fresh(**files):
    """A folder of its own with these files; "_" stands for "."."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def run(folder, *arguments, code=0, by=program, **more):
    done = subprocess.run([by, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=250, **more)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    return done


def parts(folder):
    return [path.name for path in folder.rglob(".*.part")]


def times(path):
    lines = path.read_text().split("\n")
    assert lines[-1] == "" and lines[0].startswith("t,"), lines[-3:]
    assert len({line.count(",") for line in lines[:-1]}) == 1
    return [float(line.split(",")[0]) for line in lines[1:-1]]


# ---- the model's own files

@test
def nothing_that_the_model_was_read_from_is_overwritten():
    for by, command in ((program, "run"), (paged, "report")):
        folder = fresh(m_tram=MODEL, parts_tram=PARTS)
        os.link(folder / "parts.tram", folder / "hard")
        os.symlink("parts.tram", folder / "soft")
        os.symlink("m.tram", folder / "itself")
        for name in ("m.tram", "parts.tram", "./parts.tram", f"../{folder.name}/parts.tram", "hard", "soft", "itself",
                     folder / "parts.tram"):
            assert "not overwritten" in run(folder, command, "m.tram", "-o", name, code=2, by=by).stderr
        assert (folder / "m.tram").read_text() == MODEL and (folder / "parts.tram").read_text() == PARTS
        assert parts(folder) == []


@test
def nor_by_standard_output():
    folder = fresh(m_tram=MODEL, parts_tram=PARTS, r_urdf=ROBOT)
    for by, arguments, files in ((program, ["run", "m.tram"], ("m.tram", "parts.tram")), (paged, ["report", "m.tram"], ("m.tram",)),
                                 (program, ["import", "r.urdf", "--free-base"], ("r.urdf",))):
        for file in files:
            before = (folder / file).read_text()
            for name in ("-", "/dev/stdout", "/dev/fd/1"):
                for how in (os.O_WRONLY | os.O_APPEND, os.O_RDWR):  # as a shell does with >> and 1<>
                    to = os.open(folder / file, how)
                    done = subprocess.run([by, *arguments, "-o", name], cwd=folder, stdout=to, stderr=subprocess.PIPE, text=True)
                    os.close(to)
                    assert done.returncode == 2 and "not overwritten" in done.stderr, (arguments, name, done)
            assert (folder / file).read_text() == before, (arguments, name)


@test
def nor_by_a_picture():
    if not shutil.which("gnuplot"):
        return
    folder = fresh(m_tram='include "m-1.svg"\n' + FIGURE.replace("coord x\n", ""))
    (folder / "m-1.svg").write_text("coord x\n")
    told = run(folder, "plot", "m.tram", "-o", ".", code=2).stderr
    assert "a file that the model includes" in told and (folder / "m-1.svg").read_text() == "coord x\n", told
    assert parts(folder) == [] and not (folder / "m.svg").exists()


@test
def nor_by_an_import():
    folder = fresh(r_urdf=ROBOT, extra_loops='include "more.loops"\n', more_loops="# nothing\n")
    for name in ("r.urdf", "extra.loops", "./more.loops"):
        before = (folder / name).read_text()
        told = run(folder, "import", "r.urdf", "--free-base", "--loops", "extra.loops", "-o", name, code=2).stderr
        assert "not overwritten" in told and (folder / name).read_text() == before, told


# ---- results

@test
def an_old_result_outlives_a_run_without_samples():
    folder = fresh(bad_tram=HOPELESS, wrong_tram="coord\n", x_csv="old\n")
    told = run(folder, "run", "bad.tram", "-o", "x.csv", code=3).stderr
    assert "kept" not in told, told
    run(folder, "run", "wrong.tram", "-o", "x.csv", code=2)
    run(folder, "run", "bad.tram", "-o", "new.csv", code=3)
    assert (folder / "x.csv").read_text() == "old\n" and not (folder / "new.csv").exists() and parts(folder) == []


@test
def a_failed_run_keeps_what_it_reached():
    folder = fresh(m_tram=FAILS, x_csv="old\n")
    told = run(folder, "run", "m.tram", "-o", "x.csv", code=3).stderr
    assert "samples written so far are kept in 'x.csv'" in told, told
    assert [round(t, 9) for t in times(folder / "x.csv")] == [0, 0.1, 0.2, 0.3, 0.4] and parts(folder) == []


@test
def a_complete_result_comes_in_one_step():
    folder = fresh(m_tram=ENDLESS, x_csv="old\n")
    child = subprocess.Popen([program, "run", "m.tram", "-o", "x.csv"], cwd=folder, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    wait_for_samples(folder)
    assert (folder / "x.csv").read_text() == "old\n"
    # meanwhile another run to that name: neither touches the other
    other = fresh(m_tram=MODEL, parts_tram=PARTS)
    run(folder, "run", other / "m.tram", "-o", "x.csv")
    whole = times(folder / "x.csv")
    assert len(whole) == 11 and len(parts(folder)) == 1
    child.send_signal(signal.SIGTERM)
    told = child.communicate(timeout=200)[1]
    assert child.returncode == 130 and "kept in 'x.csv'" in told, told
    assert len(times(folder / "x.csv")) > 50 and parts(folder) == []


def wait_for_samples(folder, least=20_000):
    while sum(path.stat().st_size for path in folder.glob(".*.part")) < least:
        time.sleep(0.01)


@test
def what_a_kill_leaves_goes_with_the_next_run():
    folder = fresh(m_tram=ENDLESS, short_tram=FIGURE, x_csv="old\n")
    child = subprocess.Popen([program, "run", "m.tram", "-o", "x.csv"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_samples(folder)
    child.kill()
    child.wait()
    assert (folder / "x.csv").read_text() == "old\n"
    left, = parts(folder)
    assert left.startswith(f".x.csv.{child.pid}-")
    lines = (folder / left).read_text()
    assert lines.endswith("\n") and lines.startswith("t,x")  # whole lines
    run(folder, "run", "short.tram", "-o", "y.csv")
    assert parts(folder) == [left]  # not this one's business
    run(folder, "run", "short.tram", "-o", "x.csv")
    assert parts(folder) == [] and len(times(folder / "x.csv")) == 1001


@test
def who_removes_the_part_loses_nothing():
    folder = fresh(m_tram=ENDLESS, x_csv="old\n")
    child = subprocess.Popen([program, "run", "m.tram", "-o", "x.csv"], cwd=folder, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    wait_for_samples(folder)
    for name in parts(folder):
        (folder / name).unlink()
    assert (folder / "x.csv").read_text() == "old\n"
    child.send_signal(signal.SIGTERM)
    told = child.communicate(timeout=200)[1]
    assert child.returncode == 130 and "kept in 'x.csv'" in told and len(times(folder / "x.csv")) > 50, told


# ---- places

@test
def links_and_permissions():
    folder = fresh(m_tram=MODEL, parts_tram=PARTS)
    (folder / "d").mkdir()
    (folder / "d" / "real.csv").write_text("old\n")
    (folder / "d" / "real.csv").chmod(0o604)
    os.symlink("d/real.csv", folder / "link.csv")
    run(folder, "run", "m.tram", "-o", "link.csv")
    assert (folder / "link.csv").is_symlink() and len(times(folder / "d" / "real.csv")) == 11
    assert stat.S_IMODE((folder / "d" / "real.csv").stat().st_mode) == 0o604
    run(folder, "run", "m.tram", "-o", "fresh.csv", umask=0o027)
    assert stat.S_IMODE((folder / "fresh.csv").stat().st_mode) == 0o640
    page = folder / "page.html"
    page.write_text("old")
    page.chmod(0o600)
    run(folder, "report", "m.tram", "-o", "page.html", by=paged)
    assert "<!doctype" in page.read_text().lower() and stat.S_IMODE(page.stat().st_mode) == 0o600
    assert parts(folder) == []


@test
def standard_output_by_its_names():
    folder = fresh(m_tram=MODEL, parts_tram=PARTS)
    expected = run(folder, "run", "m.tram", "-o", "-").stdout
    assert expected.startswith("t,x") and expected.count("\n") == 12
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        assert run(folder, "run", "m.tram", "-o", name).stdout == expected
        assert "both write to standard output" in run(folder, "run", "m.tram", "--json", "-o", name, code=2).stderr
    with open(folder / "log", "w") as log:  # as a shell does with >>
        log.write("before\n")
        log.flush()
        subprocess.run([program, "run", "m.tram", "-o", "/dev/stdout"], cwd=folder, stdout=log, check=True)
    assert (folder / "log").read_text() == "before\n" + expected
    assert run(folder, "run", "m.tram", "-o", "/dev/null").stdout != ""


@test
def messages_do_not_get_into_files():
    """With standard streams that are closed a file would get their numbers, and what a signal's handler says would be in it"""
    for closed in (range(1), range(1, 3), range(3)):
        folder = fresh(m_tram=ENDLESS)
        child = subprocess.Popen([program, "run", "m.tram", "-o", "x.csv"], cwd=folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, preexec_fn=lambda: [os.close(i) for i in closed])
        wait_for_samples(folder)
        [part] = parts(folder)
        held = [os.readlink(link) for link in pathlib.Path(f"/proc/{child.pid}/fd").iterdir() if int(link.name) < 3]
        child.terminate()
        child.wait()
        assert len(held) == 3 and not any(part in path for path in held), held
        assert child.returncode == (4 if 1 in closed else 130), (closed, child.returncode)
        times(folder / "x.csv")


@test
def pipes_with_names():
    folder = fresh(m_tram=MODEL, parts_tram=PARTS)
    expected = run(folder, "run", "m.tram", "-o", "-").stdout
    os.mkfifo(folder / "fifo")
    reader = subprocess.Popen(["cat", folder / "fifo"], stdout=subprocess.PIPE, text=True)
    run(folder, "run", "m.tram", "-o", "fifo")
    assert reader.communicate(timeout=60)[0] == expected and stat.S_ISFIFO((folder / "fifo").stat().st_mode)
    # nobody reads: the signal still ends it
    child = subprocess.Popen([program, "run", "m.tram", "-o", "fifo"], cwd=folder, stderr=subprocess.PIPE, text=True)
    wait_until_asleep(child.pid)
    child.send_signal(signal.SIGTERM)
    told = child.communicate(timeout=200)[1]
    assert child.returncode == 130 and told == "trammel: interrupted\n", told


def wait_until_asleep(pid):
    """In a call that waits, twice in a row."""
    calm = 0
    while calm < 5:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        waits = "wait_for_partner" in pathlib.Path(f"/proc/{pid}/wchan").read_text() if readable_wchan(pid) else state == "S"
        calm = calm + 1 if waits else 0
        time.sleep(0.05)


def readable_wchan(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/wchan").read_text() not in ("", "0")
    return False


@test
def a_reader_that_goes():
    folder = fresh(m_tram=ENDLESS)
    child = subprocess.Popen([program, "run", "m.tram", "-o", "-"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    assert child.stdout.readline().startswith("t,x")
    child.stdout.close()
    told = child.stderr.read()
    assert child.wait(200) == 4 and "Broken pipe" in told and "kept" not in told, told
    os.mkfifo(folder / "fifo")
    child = subprocess.Popen([program, "run", "m.tram", "-o", "fifo"], cwd=folder, stderr=subprocess.PIPE, text=True)
    with open(folder / "fifo") as reader:
        assert reader.readline().startswith("t,x")
    told = child.stderr.read()
    assert child.wait(200) == 4 and "Broken pipe" in told and "kept" not in told, told


@test
def what_is_written_straight_through_is_not_kept():
    folder = fresh(m_tram=ENDLESS)
    for number in (signal.SIGTERM, signal.SIGALRM):
        told = interrupt_at(os.sysconf("SC_CLK_TCK") // 10, number, folder, "run", "m.tram", "-o", "/dev/null")
        assert told == "trammel: interrupted\n", told


@test
def a_picture_goes_to_no_pipe():
    if not shutil.which("gnuplot"):
        return
    folder = fresh(m_tram=FIGURE)
    os.mkfifo(folder / "m-1.svg")  # that nobody reads
    told = run(folder, "plot", "m.tram", "-o", ".", code=4).stderr
    assert "cannot write './m-1.svg': it is no file" in told, told
    assert parts(folder) == [] and stat.S_ISFIFO((folder / "m-1.svg").stat().st_mode) and not (folder / "m.svg").exists()


@test
def places_that_cannot_be_written():
    folder = fresh(m_tram=MODEL, parts_tram=PARTS)
    assert "there is no such folder" in run(folder, "run", "m.tram", "-o", "no/x.csv", code=4).stderr
    assert "too long" in run(folder, "run", "m.tram", "-o", "x" * 6000, code=4).stderr
    assert "Is a directory" in run(folder, "run", "m.tram", "-o", ".", code=4).stderr
    somebody = {}
    if os.geteuid() == 0:  # who may do everything
        somebody = {"user": 65534}
        for path in (scratch, folder):
            path.chmod(0o777)
        if subprocess.run([program, "--version"], capture_output=True, **somebody).returncode != 0:
            print("        (the program cannot be run by another user)")
            return
    (folder / "d").mkdir()
    (folder / "d" / "x.csv").write_text("old\n")
    (folder / "d").chmod(0o555)
    (folder / "d" / "x.csv").chmod(0o666)
    told = run(folder, "run", "m.tram", "-o", "d/x.csv", code=4, **somebody).stderr
    assert "no file can be made in its folder" in told and (folder / "d" / "x.csv").read_text() == "old\n", told
    (folder / "d").chmod(0o755)
    (folder / "locked.csv").write_text("old\n")
    (folder / "locked.csv").chmod(0o444)
    assert "Permission denied" in run(folder, "run", "m.tram", "-o", "locked.csv", code=4, **somebody).stderr
    assert (folder / "locked.csv").read_text() == "old\n"


def limit_files(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@test
def a_limit_on_the_size_of_files():
    folder = fresh(m_tram=MODEL.replace("0.1", "0.0001"), parts_tram=PARTS, x_csv="old\n")
    told = run(folder, "run", "m.tram", "-o", "x.csv", code=4, preexec_fn=limit_files(300_000)).stderr
    assert "cannot write 'x.csv': File too large" in told and "kept in 'x.csv'" in told, told
    reached = times(folder / "x.csv")
    assert len(reached) > 100 and 299_500 < (folder / "x.csv").stat().st_size <= 300_000 and parts(folder) == []
    (folder / "x.csv").write_text("old\n")
    told = run(folder, "run", "m.tram", "-o", "x.csv", code=4, preexec_fn=limit_files(10)).stderr
    assert "File too large" in told and "kept" not in told and (folder / "x.csv").read_text() == "old\n", told
    page = folder / "m.html"
    page.write_text("old")
    told = run(folder, "report", "m.tram", code=4, by=paged, preexec_fn=limit_files(1000)).stderr
    assert "cannot write 'm.html': File too large" in told and page.read_text() == "old" and parts(folder) == [], told
    run(folder, "new", "n.tram", code=4, preexec_fn=limit_files(10))
    assert not (folder / "n.tram").exists() and parts(folder) == []


@test
def pictures_that_do_not_fit():
    if not shutil.which("gnuplot"):
        return
    for ending in ("svg", "png", "pdf"):
        folder = fresh(m_tram=FIGURE)
        run(folder, "plot", "m.tram", "-o", "p", "--format", ending)
        before = {file.name: file.read_bytes() for file in (folder / "p").iterdir()}
        told = run(folder, "plot", "m.tram", "-o", "p", "--format", ending, code=4, preexec_fn=limit_files(1000)).stderr
        assert "gnuplot" in told, told
        assert before == {file.name: file.read_bytes() for file in (folder / "p").iterdir()}


@test
def a_full_disk():
    folder = fresh(m_tram=MODEL.replace("0.1", "0.0001"), parts_tram=PARTS)
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], capture_output=True).returncode != 0:
        print("        (no disk of its own could be mounted)")
        return
    try:
        told = run(folder, "run", "m.tram", "-o", "disk/x.csv", code=4).stderr
        assert "No space left" in told and "kept in 'disk/x.csv'" in told, told
        assert len(times(disk / "x.csv")) > 100 and parts(folder) == []
    finally:
        subprocess.run(["umount", disk], check=True)


# ---- signals at any time

def cpu_ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def interrupt_at(ticks, number, folder, *arguments, by=program):
    """Ends the program after it has worked for so long, by its own count; what it said. It would go on for minutes."""
    child = subprocess.Popen([by, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while cpu_ticks(child.pid) < ticks and child.poll() is None:
        time.sleep(0.01)
    child.send_signal(number)
    told = child.communicate(timeout=60)[1]
    assert child.returncode == 130, (arguments, child.returncode, told)
    return told


WITHOUT = {"plot": "; no pictures were made", "report": "; no page was made", "import": "; no model was made"}


@test
def shortly_before_the_end():
    """While the model is read, of which little is left: no command takes it for too late."""
    folder = fresh(x_csv="old\n", m_html="old", r_tram="old\n", parts_tram=PARTS)
    for name in ("m.tram", "r.urdf"):
        os.mkfifo(folder / name)
    for by, arguments in (
        (program, ["run", "-o", "x.csv"]), (program, ["run"]), (program, ["run", "--json"]), (program, ["run", "--plot", "-o", "-"]),
        (program, ["check"]), (program, ["check", "--json"]), (program, ["check", "--quiet"]), (program, ["equations"]),
        (program, ["compare"]), (program, ["compare", "--along"]), (program, ["linearize"]), (program, ["plot"]),
        (paged, ["report"]), (paged, ["report", "-o", "-"]), (paged, ["view"]),
        (program, ["import", "--free-base", "-o", "r.tram"]), (program, ["import", "--free-base", "-o", "-"]),
    ):
        name, text = ("r.urdf", ROBOT) if arguments[0] == "import" else ("m.tram", MODEL)
        child = subprocess.Popen([by, *arguments, name], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with open(folder / name, "w") as writer:  # which waits for the reader
            child.send_signal(signal.SIGTERM)
            writer.write(text)
        said, told = child.communicate(timeout=60)
        assert child.returncode == 130, (arguments, child.returncode, told)
        assert (said, told) == ("", f"trammel: interrupted{WITHOUT.get(arguments[0], '')}\n"), (arguments, said, told)
    assert [(folder / name).read_text() for name in ("x.csv", "m.html", "r.tram")] == ["old\n", "old", "old\n"]
    assert parts(folder) == [] and not (folder / "m-plots").exists()


@test
def after_half_a_second():
    """What the program does when a step takes longer than its patience; the clock's signal is sent to it."""
    folder = fresh(m_tram=ENDLESS, x_csv="old\n")
    for number in (signal.SIGALRM, signal.SIGTERM):  # alone, and on the heels of the other
        child = subprocess.Popen([program, "run", "m.tram", "-o", "x.csv"], cwd=folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        wait_for_samples(folder)
        child.send_signal(number)
        child.send_signal(signal.SIGALRM)
        told = child.communicate(timeout=60)[1]
        assert child.returncode == 130 and told == "trammel: interrupted; the samples written so far are kept in 'x.csv'\n", told
        assert len(times(folder / "x.csv")) > 50 and parts(folder) == []
    # and where they cannot be put in place, it says where they are
    child = subprocess.Popen([program, "run", "m.tram", "-o", "x.csv"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             text=True)
    wait_for_samples(folder)
    (folder / "x.csv").unlink()
    (folder / "x.csv").mkdir()
    child.send_signal(signal.SIGALRM)
    told = child.communicate(timeout=60)[1]
    left, = parts(folder)
    assert child.returncode == 130 and told.endswith(f"are kept in '{left}'\n") and len(times(folder / left)) > 50, told


@test
def while_a_model_is_read_and_compiled():
    folder = fresh(m_tram=HEAVY, x_csv="old\n", m_html="old")
    work = os.sysconf("SC_CLK_TCK")
    for by, number, ticks, arguments in (
        (program, signal.SIGTERM, work // 10, ["run", "-o", "x.csv"]), (program, signal.SIGINT, 2 * work, ["run", "-o", "x.csv"]),
        (program, signal.SIGHUP, work // 2, ["run"]), (program, signal.SIGTERM, work // 2, ["check"]),
        (program, signal.SIGTERM, work, ["equations"]), (program, signal.SIGTERM, work // 2, ["compare"]),
        (program, signal.SIGTERM, work // 2, ["linearize"]), (paged, signal.SIGTERM, work // 2, ["report"]),
        (paged, signal.SIGTERM, work // 4, ["view"]),
    ):
        told = interrupt_at(ticks, number, folder, *arguments, "m.tram", by=by)
        assert told == f"trammel: interrupted{WITHOUT.get(arguments[0], '')}\n", (arguments, told)
    assert (folder / "x.csv").read_text() == "old\n" and (folder / "m.html").read_text() == "old" and parts(folder) == []


@test
def while_it_runs_for_a_page_or_pictures():
    folder = fresh(m_tram=ENDLESS, m_html="old")
    work = os.sysconf("SC_CLK_TCK") // 2
    told = interrupt_at(work, signal.SIGTERM, folder, "report", "m.tram", by=paged)
    assert told == "trammel: interrupted; no page was made\n", told
    told = interrupt_at(work, signal.SIGTERM, folder, "plot", "m.tram")
    assert told == "trammel: interrupted; no pictures were made\n", told
    assert sorted(path.name for path in folder.iterdir()) == ["m.html", "m.tram"] and (folder / "m.html").read_text() == "old"


def plotting(folder, *options):
    """With a gnuplot that says when it was tried and when it draws, and never ends that."""
    (folder / "bin").mkdir()
    (folder / "bin" / "gnuplot").write_text(
        '#!/bin/sh\ncase $(head -c 5) in "") : > tried; exit;; esac\necho $$ > drawing\nexec sleep 600\n')
    (folder / "bin" / "gnuplot").chmod(0o755)
    return subprocess.Popen([program, "plot", "m.tram", "-o", "p", *options], cwd=folder, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"})


@test
def while_gnuplot_is_told_what_to_draw():
    folder = fresh(m_tram=FIGURE)
    child = plotting(folder, "--every", "1e-6")
    while not (folder / "tried").exists():
        time.sleep(0.001)
    child.send_signal(signal.SIGTERM)
    child.send_signal(signal.SIGALRM)  # the half second is over
    told = child.communicate(timeout=60)[1]
    assert child.returncode == 130 and told == "trammel: interrupted; no pictures were made\n", told
    assert parts(folder) == []


@test
def while_gnuplot_draws():
    folder = fresh(m_tram=FIGURE)
    child = plotting(folder)
    drawing = folder / "drawing"
    while not drawing.exists() or not drawing.read_text().strip():
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    told = child.communicate(timeout=60)[1]
    assert child.returncode == 130 and told == "trammel: interrupted; no pictures were made\n", told
    assert not pathlib.Path(f"/proc/{drawing.read_text().strip()}").exists()
    assert list((folder / "p").iterdir()) == []


@test
def nohup_is_respected():
    folder = fresh(m_tram=ENDLESS)
    child = subprocess.Popen([program, "run", "m.tram", "-o", "x.csv"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_for_samples(folder)
    child.send_signal(signal.SIGHUP)
    wait_for_samples(folder, 2 * sum(path.stat().st_size for path in folder.glob(".*.part")))
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == 130 and len(times(folder / "x.csv")) > 100


code = run_all()
shutil.rmtree(scratch)
sys.exit(code)
