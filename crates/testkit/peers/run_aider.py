"""Applies replies with aider's coders, outside a chat: a JSON object with a call on each line in, one with the answer out."""

import json
import os
import sys

from aider.coders import editblock_coder, patch_coder, udiff_coder

CODERS = {
    "search_replace": editblock_coder.EditBlockCoder,
    "udiff": udiff_coder.UnifiedDiffCoder,
    "patch": patch_coder.PatchCoder,
}


class Disk:
    """Reads and writes as aider's own input and output does, and says nothing."""

    def read_text(self, path, *_, **__):
        try:
            with open(path, encoding="utf8", newline="") as file:
                return file.read()
        except OSError:
            return None

    def write_text(self, path, text, *_, **__):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf8", newline="") as file:
            file.write(text)

    def __getattr__(self, _):
        return lambda *_, **__: None


def apply(call):
    kind = CODERS[call["coder"]]
    coder = kind.__new__(kind)
    coder.io, coder.root, coder.fence, coder.dry_run = Disk(), call["folder"], ("```", "```"), False
    coder.partial_response_content, coder.shell_commands, coder.num_malformed_responses = call["response"], [], 0
    coder.abs_root_path = lambda path: os.path.join(call["folder"], path)
    coder.get_rel_fname = lambda path: os.path.relpath(path, call["folder"])
    coder.abs_fnames, coder.abs_read_only_fnames = {coder.abs_root_path(path) for path in call["files"]}, set()
    coder.get_inchat_relative_files = coder.get_all_relative_files = lambda: sorted(call["files"])
    os.chdir(call["folder"])
    edits = coder.get_edits()
    if not edits:
        raise ValueError("no edits")
    if call["coder"] == "search_replace":
        edits = coder.apply_edits_dry_run(edits) or edits
    coder.apply_edits(edits)


answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    try:
        apply(json.loads(line))
        answer = {"applied": True}
    except Exception as error:
        answer = {"applied": False, "error": str(error)}
    os.chdir("/")
    print(json.dumps(answer), file=answers, flush=True)
