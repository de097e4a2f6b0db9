#!/usr/bin/env python3
"""Pushes one leased task onto the queue and waits for its signed answer, with the Python standard library alone.

    python3 examples/raw-producer.py connection.json [job.json | -] [--no-wait]

The files, the output and the exit codes are those of examples/raw-producer.mjs; the contract is docs/producers.md.
The add below is what BullMQ 6 does for a plain job without delay, priority or parent. Where a BullMQ library exists for
your language, use it instead.
"""
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
            self.socket.connect(path)
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


def wait_for_answer(redis, reader, queue, job_id, task_id, epoch_before, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        state, epoch, result = read_row(reader, task_id)
        if state == "success" or (state == "failure" and epoch > epoch_before):
            return json.loads(result)
        refused = reader.call("GET", f"{tag(task_id)}:refused:{queue}:{job_id}")
        if refused is not None:
            return json.loads(refused)
        reason = redis.call("HGET", f"{PREFIX}:{queue}:{job_id}", "failedReason") or ""
        if reason.startswith("INVALID_MANIFEST"):
            return {"status": "REFUSED", "reason": reason}
        time.sleep(0.1)
    return {"timeout": True, "queue": queue, "jobId": job_id}


def read_row(reader, task_id):
    state, epoch, result = reader.call("HMGET", f"{tag(task_id)}:task:{task_id}", "state", "epoch", "result")
    return state, int(epoch or 0), result


def tag(task_id):
    """The first byte of SHA-256(task_id) places everything about a task."""
    return "{wl-%s}" % hashlib.sha256(task_id.encode()).hexdigest()[:2]


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--no-wait"]
    wait = "--no-wait" not in sys.argv
    with open(arguments[0], encoding="utf-8") as file:
        settings = json.load(file)
    if len(arguments) > 1 and arguments[1] != "-":
        with open(arguments[1], encoding="utf-8") as file:
            job = json.load(file)
    else:
        job = json.load(sys.stdin)
    manifest, queue = job["manifest"], settings.get("queue", "file")
    redis = Redis(settings["redis"])
    reader = Redis(settings["reader"]) if "reader" in settings else redis
    epoch_before = read_row(reader, manifest["task_id"])[1] if wait else 0
    job_id = add_job(redis, queue, manifest["capability_id"], {"v": 1, "manifest": manifest, "lease": job["lease"]})
    answer = {"pushed": True, "queue": queue, "jobId": job_id}
    if wait:
        answer = wait_for_answer(redis, reader, queue, job_id, manifest["task_id"], epoch_before, settings.get("timeoutSeconds", 30))
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False))
    return 0 if answer.get("pushed") or answer.get("status") == "SUCCESS" else 3 if answer.get("timeout") else 1


if __name__ == "__main__":
    sys.exit(main())
