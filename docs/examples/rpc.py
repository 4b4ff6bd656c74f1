"""Drives Relay's agent over `relay rpc`: one prompt, a tool of our own, the answer.

Run it in a project:  python3 rpc.py "What is the answer?" [arguments of relay rpc]
"""

import json
import subprocess
import sys

relay = subprocess.Popen(
    ["relay", "rpc", *sys.argv[2:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)


def send(command):
    relay.stdin.write(json.dumps(command) + "\n")
    relay.stdin.flush()


def lines():
    for line in relay.stdout:
        yield json.loads(line)


stream = lines()
ready = next(stream)
assert ready["type"] == "ready", ready

send({
    "id": 1,
    "type": "set_host_tools",
    "tools": [{
        "name": "oracle",
        "description": "Knows the answer to everything.",
        "parameters": {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]},
    }],
})
send({"id": 2, "type": "prompt", "message": sys.argv[1]})

for event in stream:
    kind = event["type"]
    if kind == "response" and not event["success"]:
        sys.exit(f"{event['command']}: {event['error']}")
    if kind == "message_update" and event["assistantMessageEvent"]["type"] == "text_delta":
        print(event["assistantMessageEvent"]["delta"], end="", flush=True)
    if kind == "host_tool_call":
        result = {"content": [{"type": "text", "text": "42"}]}
        send({"type": "host_tool_result", "id": event["id"], "result": result})
    if kind == "extension_ui_request":
        send({"type": "extension_ui_response", "id": event["id"], "cancelled": True})
    if kind == "agent_end":
        print()
        break

relay.stdin.close()
sys.exit(relay.wait())
