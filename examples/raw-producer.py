#!/usr/bin/env python3
"""Pushes one leased task onto the queue and waits for its signed answer, with the Python standard library alone.

    python3 examples/raw-producer.py connection.json [job.json | -] [--no-wait]

The files and the output are those of examples/raw-producer.mjs, which explains them; the contract is docs/producers.md.
Exit code: 0 SUCCESS (or pushed, with --no-wait), 1 FAILURE or refused, 2 usage, or a file or Redis that cannot be used (the
same push may be made again), 3 no answer in time.

Only an answer that an executor has signed for exactly this task and manifest is one: whoever may write to Redis may write
there. The add below is what BullMQ 6 does for a plain job without delay, priority or parent. Where a BullMQ library exists for
your language, use it instead.
"""
import base64
import decimal
import hashlib
import json
import socket
import sys
import time
from urllib.parse import unquote, urlparse

PREFIX = "{writ}"
OPTIONS = {"attempts": 1, "removeOnComplete": {"age": 3600, "count": 1000}, "removeOnFail": {"age": 604800}}


class Redis:
    """Just enough of the Redis protocol: commands as arrays of strings, replies as Python values."""

    def __init__(self, settings):
        path, secret, user = settings.get("path"), settings.get("password"), settings.get("username")
        if path:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                self.socket.connect(path)
            except OSError as error:
                raise OSError(f"{path}: {error}") from None
        else:
            url = urlparse(settings["url"])
            self.socket = socket.create_connection((url.hostname, url.port or 6379))
            secret = secret or (unquote(url.password) if url.password else None)
            user = user or (unquote(url.username) if url.username else None)
        self.stream = self.socket.makefile("rb")
        if settings.get("passwordFile"):
            with open(settings["passwordFile"], encoding="utf-8") as file:
                secret = file.read().strip()
        if secret:
            self.call("AUTH", *([user] if user else []), secret)

    def call(self, *words):
        parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
        return self.reply()

    def reply(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("Redis closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b":":
            return int(rest)
        length = int(rest)
        if length < 0:
            return None
        if kind == b"*":
            return [self.reply() for _ in range(length)]
        return self.stream.read(length + 2)[:-2].decode()


def add_job(redis, queue, name, data):
    """One transaction: the job, its event, its place in the line, and the marker that wakes a worker."""
    base = f"{PREFIX}:{queue}"
    job_id = redis.call("INCR", f"{base}:id")
    paused = redis.call("HGET", f"{base}:meta", "paused")
    redis.call("MULTI")
    redis.call(
        "HSET", f"{base}:{job_id}", "name", name, "data", json.dumps(data, separators=(",", ":")),
        "opts", json.dumps(OPTIONS), "timestamp", int(time.time() * 1000), "delay", 0, "priority", 0,
    )
    redis.call("XADD", f"{base}:events", "MAXLEN", "~", 10000, "*", "event", "added", "jobId", job_id, "name", name)
    redis.call("LPUSH", f"{base}:wait", job_id)
    if not paused:
        redis.call("ZADD", f"{base}:marker", 0, "0")
    redis.call("EXEC")
    return str(job_id)


def wait_for_answer(redis, reader, queue, job_id, manifest, keys, epoch_before, seconds):
    task_id = manifest["task_id"]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        state, epoch, result = read_row(reader, task_id)
        answer = genuine(result, manifest, keys)
        # A row may hold the FAILURE of an earlier push, also while the task runs again.
        if answer and (answer["status"] == "SUCCESS" or (state == "failure" and epoch > epoch_before)):
            return answer
        refused = genuine(reader.call("GET", f"{tag(task_id)}:refused:{queue}:{job_id}"), manifest, keys)
        if refused:
            return refused
        reason = redis.call("HGET", f"{PREFIX}:{queue}:{job_id}", "failedReason") or ""
        if reason.startswith("INVALID_MANIFEST"):
            return {"status": "REFUSED", "reason": reason}
        time.sleep(0.1)
    return {"timeout": True, "queue": queue, "jobId": job_id}


def read_row(reader, task_id):
    state, epoch, result = reader.call("HMGET", f"{tag(task_id)}:task:{task_id}", "state", "epoch", "result")
    return state, int(epoch or 0), result


def genuine(text, manifest, keys):
    """The result in a text, if one of the keys has signed it for this task and these bytes of the manifest."""
    try:
        result = json.loads(text)
        header, signature = result["signature"].split("..")
        head = json.loads(from_base64url(header))
        key = next(one for one in keys if one["kid"] == head["kid"] and one["writ:use"] == "result")
        serves = {"*", manifest["capability_id"]} & set(key["writ:capabilities"])
        if head["alg"] != "EdDSA" or head["typ"] != "writ-result+jws" or not serves:
            return None
        subject = {"task_id": manifest["task_id"], "capability_id": manifest["capability_id"], "manifest_sha256": sha256(canonical(manifest))}
        signed = {**subject, **{name: result[name] for name in ("status", "output", "error")}}
        payload = base64.urlsafe_b64encode(canonical(signed).encode()).rstrip(b"=").decode()
        return result if verifies(from_base64url(key["x"]), f"{header}.{payload}".encode(), from_base64url(signature)) else None
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        return None


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def canonical(value):
    """RFC 8785: names in the order of UTF-16, no white space, numbers as JavaScript writes them."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{%s}" % ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names)
    if isinstance(value, list):
        return "[%s]" % ",".join(map(canonical, value))
    if isinstance(value, float):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def number(value):
    """A double in its shortest form, as ECMAScript places its point."""
    sign, digits, exponent = decimal.Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if value == 0:
        return "0"
    if len(text) <= point <= 21:
        text = text.ljust(point, "0")
    elif 0 < point <= 21:
        text = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = f"{text[0]}{'.' if len(text) > 1 else ''}{text[1:]}e{point - 1:+d}"
    return "-" * sign + text


# Ed25519 as in RFC 8032, section 6: right and short, not fast. A library of your language does the same.
P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
BASE_Y = 4 * pow(5, P - 2, P) % P


def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return ((f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P)


def multiply(factor, point):
    product = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            product = add(product, point)
        point, factor = add(point, point), factor >> 1
    return product


def point_of(data):
    y = int.from_bytes(data, "little")
    odd, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P != 0 or (x == 0 and odd):
        raise ValueError("this is no point of the curve")
    x = P - x if x & 1 != odd else x
    return (x, y, 1, x * y % P)


def verifies(key, text, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    if scalar >= Q:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % Q
    base = point_of(BASE_Y.to_bytes(32, "little"))
    left, right = multiply(scalar, base), add(point_of(signature[:32]), multiply(challenge, point_of(key)))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def tag(task_id):
    """The first byte of SHA-256(task_id) places everything about a task."""
    return "{wl-%s}" % hashlib.sha256(task_id.encode()).hexdigest()[:2]


def read_json(name, *members):
    """A document of a file, "-" is standard input; it must have these members."""
    try:
        if name == "-":
            document = json.load(sys.stdin)
        else:
            with open(name, encoding="utf-8") as file:
                document = json.load(file)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    for member in members:
        if not isinstance(document, dict) or document.get(member) is None:
            raise ValueError(f"{name}: {member} is missing")
    return document


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return 0
    arguments = [argument for argument in sys.argv[1:] if argument != "--no-wait"]
    wait = "--no-wait" not in sys.argv
    if not arguments:
        print("usage: python3 examples/raw-producer.py connection.json [job.json | -] [--no-wait]", file=sys.stderr)
        return 2
    settings = read_json(arguments[0], "redis")
    job = read_json(arguments[1] if len(arguments) > 1 else "-", "manifest", "lease")
    manifest, queue = job["manifest"], settings.get("queue", "file")
    redis = Redis(settings["redis"])
    reader = Redis(settings["reader"]) if "reader" in settings else redis
    keys = read_json(settings["keys"], "keys")["keys"] if wait else []
    epoch_before = read_row(reader, manifest["task_id"])[1] if wait else 0
    job_id = add_job(redis, queue, manifest["capability_id"], {"v": 1, "manifest": manifest, "lease": job["lease"]})
    answer = {"pushed": True, "queue": queue, "jobId": job_id}
    if wait:
        answer = wait_for_answer(redis, reader, queue, job_id, manifest, keys, epoch_before, settings.get("timeoutSeconds", 30))
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False))
    return 0 if answer.get("pushed") or answer.get("status") == "SUCCESS" else 3 if answer.get("timeout") else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError) as error:
        print(f"raw-producer: {error!r}" if isinstance(error, LookupError) else f"raw-producer: {error}", file=sys.stderr)
        sys.exit(2)
