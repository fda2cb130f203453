"""The data of a page, read as docs/page-data.md says: with lists of numbers, three for a point, None for what is not finite."""
import base64
import json
import math
import struct


def _numbers(text, kind):
    raw = base64.b64decode(text, validate=True)
    values = struct.unpack(f"<{len(raw) // struct.calcsize(kind)}{kind}", raw)
    return [v if math.isfinite(v) else None for v in values]


def read(text):
    data = json.loads(text)
    if "times" not in data:
        return data
    assert data["version"] == 3
    data["times"] = _numbers(data["times"], "d")
    for one in [*data["columns"], *(s for p in data["plots"] for s in (p["x"], *p["series"]))]:
        one["values"] = _numbers(one["values"], "d")
    tracks = [_numbers(t, "f") for t in data["tracks"]]
    assert len({tuple(t) for t in tracks}) == len(tracks), "a track stands there twice"
    points = {"at", "to", "force", "weight", "active", "inertia"}
    torques = {"torque", "active_torque", "constraint_torque", "inertia_torque"}  # a single number in the plane
    for one in data["draws"] + data["forces"] + data["loads"] + data["bodies"]:
        for key in (points | torques | {"turn", "size"}) & set(one):
            values = tracks[one[key]] if isinstance(one[key], int) else one[key]
            if key in points and data["dimension"] == 2:
                values = [v for i in range(0, len(values), 2) for v in (values[i], values[i + 1], 0)]
            one[key] = values
    data["glyphs"] = [d for d in data["draws"] if "joint" in d]  # of joints
    data["draws"] = [d for d in data["draws"] if "joint" not in d]
    return data
