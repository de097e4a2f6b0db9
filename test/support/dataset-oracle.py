"""Searches data sets the plain way, with Python's own csv, json and sqlite3: an answer to compare Writ's with.

Reads one case per line from standard input, {format, path, table, primaryKey, numeric, query, maxResults}, and writes one
answer per line: {count, hits} or {error: true}.
"""
import csv, decimal, io, json, math, re, sqlite3, sys

csv.field_size_limit(1 << 30)
class Refused(Exception):
    pass

# RFC 4180, section 2, with any other character in fields, and with one kind of line end in a file: CRLF or LF.
FIELD = re.compile(r'"((?:[^"]|"")*)"|([^",\r\n]*)')

def rows_of(text):
    rows, row, at, end = [], [], 0, None
    while True:
        field = FIELD.match(text, at)
        row.append(field[2] if field[1] is None else field[1].replace('""', '"'))
        at = field.end()
        if text.startswith(",", at):
            at += 1
            continue
        rows.append(row)
        if at == len(text):
            break
        found = next((one for one in ("\r\n", "\n") if text.startswith(one, at)), None)
        end = end or found
        if found is None or found != end:
            raise Refused()
        at += len(found)
        if at == len(text):
            break
        row = []
    # Python's own reader takes more, but must read the same where there is nothing to argue about.
    assert [one or [""] for one in csv.reader(io.StringIO(text, newline=""), strict=True)] == rows
    return rows

def from_csv(case):
    with open(case["path"], encoding="utf-8-sig", errors="strict", newline="") as file:
        lines = rows_of(file.read())
    header, lines = lines[0], lines[1:]
    if len(set(header)) != len(header) or case["primaryKey"] not in header:
        raise Refused()
    for line in lines:
        if len(line) != len(header):
            raise Refused()
        record = dict(zip(header, line))
        key = record[case["primaryKey"]]
        if key == "":
            raise Refused()
        for name in case["numeric"]:
            if record[name] != "":
                float(record[name])
        if case["primaryKey"] in case["numeric"]:
            key = decimal.Decimal(key)
        yield key, {name: value for name, value in record.items() if name not in case["numeric"]}

def no_twins(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Refused()
    return dict(pairs)

def refuse(_):
    raise Refused()

def from_jsonl(case):
    with open(case["path"], encoding="utf-8-sig", errors="strict", newline="\n") as file:
        for line in file:
            if line.strip(" \t\r\n") == "":
                continue
            try:
                record = json.loads(line, object_pairs_hook=no_twins, parse_float=decimal.Decimal, parse_int=decimal.Decimal, parse_constant=refuse)
            except RecursionError:
                raise Refused()
            if not isinstance(record, dict):
                raise Refused()
            key = record.get(case["primaryKey"])
            if not isinstance(key, (str, decimal.Decimal)):
                raise Refused()
            yield key, record

def from_sqlite(case):
    with sqlite3.connect(case["path"]) as db:
        cursor = db.execute('SELECT * FROM "' + case["table"].replace('"', '""') + '"')
        names = [column[0] for column in cursor.description]
        for row in cursor:
            record = dict(zip(names, row))
            key = record.get(case["primaryKey"])
            if not isinstance(key, (str, int, float)):
                raise Refused()
            if not isinstance(key, str):
                key = decimal.Decimal(key)
            yield key, record

def text_of(key):
    if isinstance(key, str):
        return key
    if key == key.to_integral_value():
        return str(int(key))
    return repr(float(key))

def snippet(text, query):
    at = text.index(query)
    start = max(0, at - 100)
    return text[start : min(len(text), at + len(query) + 100)][:200]

def answer(case):
    found, keys = [], []
    for key, record in {"csv": from_csv, "jsonl": from_jsonl, "sqlite": from_sqlite}[case["format"]](case):
        keys.append(key)
        for name in sorted(name for name, value in record.items() if isinstance(value, str)):
            if case["query"] in record[name]:
                found.append((key, name, snippet(record[name], case["query"])))
                break
    if len({isinstance(key, str) for key in keys}) > 1 or len(set(keys)) != len(keys):
        raise Refused()
    found.sort(key=lambda hit: hit[0])
    hits = [{"id": text_of(key), "match_field": name, "match_snippet": text} for key, name, text in found[: case["maxResults"]]]
    return {"count": len(found), "hits": hits}

decimal.getcontext().prec = 400
for line in sys.stdin:
    try:
        result = answer(json.loads(line))
    except (Refused, ValueError, IndexError, decimal.InvalidOperation, csv.Error, sqlite3.Error, UnicodeDecodeError):
        result = {"error": True}
    print(json.dumps(result), flush=True)
