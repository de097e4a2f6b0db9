"""Reads mail with Python's email and mailbox packages: the other implementation that SEARCH_EMAILS is compared with.

stdin: {"messages": [base64, ...], "mboxes": [base64, ...], "dates": [string, ...]}
stdout: {"messages": [{"from", "to", "subject", "body"}, ...], "mboxes": [[base64, ...], ...], "dates": [milliseconds or null, ...]}
"""
import base64
import email
import email.header
import email.utils
import json
import mailbox
import os
import re
import sys
import tempfile


def header(value):
    if value is None:
        return ''
    text = re.sub(r'\r?\n', '', str(value)).strip(' \t')
    parts = email.header.decode_header(text)
    out = ''
    for data, charset in parts:
        out += data if isinstance(data, str) else data.decode(charset or 'ascii', 'replace')
    return out


def body(message):
    texts = []
    # walk() goes into message/rfc822 as well; those parts are not searched.
    def visit(part):
        if part.get_content_maintype() == 'multipart' and part.is_multipart():
            for child in part.get_payload():
                visit(child)
            return
        if part.get_content_type() != 'text/plain' or part.get_content_disposition() not in (None, 'inline'):
            return
        data = part.get_payload(decode=True) or b''
        charset = part.get_content_charset()
        texts.append(data.decode(charset or 'utf-8', 'replace').replace('\r\n', '\n'))
    visit(message)
    return '\n'.join(texts)


def read(raw):
    message = email.message_from_bytes(raw)
    return {
        'from': header(message['From']),
        'to': ', '.join(header(value) for value in message.get_all('To', [])),
        'subject': header(message['Subject']),
        'body': body(message),
    }


def mbox(raw):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'mbox')
        with open(path, 'wb') as file:
            file.write(raw)
        return [base64.b64encode(re.sub(rb'(?m)^>(>*From )', rb'\1', box)).decode() for box in boxes(path)]


def boxes(path):
    box = mailbox.mbox(path, create=False)
    try:
        return [box.get_bytes(key) for key in box.keys()]
    finally:
        box.close()


def date(text):
    parsed = email.utils.parsedate_tz(text)
    return None if parsed is None or parsed[9] is None else int(email.utils.mktime_tz(parsed) * 1000)


cases = json.load(sys.stdin)
json.dump({
    'messages': [read(base64.b64decode(raw)) for raw in cases['messages']],
    'mboxes': [mbox(base64.b64decode(raw)) for raw in cases['mboxes']],
    'dates': [date(text) for text in cases['dates']],
}, sys.stdout)
