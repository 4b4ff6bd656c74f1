// How each tool is called: a dialect it reads, and what it makes of a case in a folder. An applier answers whether the tool
// says that it applied; an exception is a refusal.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { calls, diff, envelope } from "./cases.mjs";

const require = createRequire(import.meta.url);
const load = (path) => import(join(import.meta.dirname, "node_modules", path));
const write = (path, text) => (mkdirSync(dirname(path), { recursive: true }), writeFileSync(path, text));
const ends = (command, args, options) => spawnSync(command, args, { timeout: 60_000, ...options }).status === 0;

// Calls with old and new text, one after the other. Without new lines the end of the last old one goes too.
const each = (edit) => async (item, folder) => {
  for (const { path, old, new: fresh } of calls(item)) {
    const file = join(folder, path);
    if (old.join("") === "") {
      // These tools create files by another call.
      if (existsSync(file) && readFileSync(file, "utf8") !== "") return false;
      write(file, fresh.join("\n") + "\n");
      continue;
    }
    const tail = fresh.length === 0 ? "\n" : "";
    await edit(file, old.join("\n") + tail, fresh.join("\n"), folder);
  }
  return true;
};

async function gemini() {
  const { calculateReplacement, getErrorReplaceResult } = await load("@google/gemini-cli-core/dist/src/tools/edit.js");
  const config = new Proxy({}, { get: (_, name) => (name === "then" ? undefined : () => false) });
  return each(async (file, old_string, new_string) => {
    const raw = readFileSync(file, "utf8");
    const params = { file_path: file, old_string, new_string };
    const currentContent = raw.replaceAll("\r\n", "\n");
    const done = await calculateReplacement(config, { params, currentContent, abortSignal: new AbortController().signal });
    const error = getErrorReplaceResult(params, done.occurrences, done.finalOldString, done.finalNewString);
    if (error) throw new Error(error.raw);
    write(file, raw.includes("\r\n") ? done.newContent.replaceAll("\n", "\r\n") : done.newContent);
  });
}

async function pi() {
  const { createEditToolDefinition } = await load("@mariozechner/pi-coding-agent/dist/core/tools/edit.js");
  return each((file, oldText, newText, folder) =>
    createEditToolDefinition(folder).execute("call", { path: file, edits: [{ oldText, newText }] }));
}

// relaycode's engine, which is Roo's strategies. It is published for bundlers only.
async function relaycode() {
  const { build } = await load("esbuild/lib/main.js");
  const entryPoints = [join(import.meta.dirname, "node_modules/diff-apply/dist/index.js")];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", platform: "node", write: false });
  const file = join(mkdtempSync(join(tmpdir(), "diff-apply-")), "index.mjs");
  write(file, outputFiles[0].text);
  return import(file);
}

const applied = (file, { success, content, error }) => {
  if (!success) throw new Error(error);
  write(file, content);
};

async function relaycodeSections() {
  const { multiSearchReplaceService } = await relaycode();
  return each(async (file, old, fresh) => {
    const diffContent = ["<<<<<<< SEARCH", old.replace(/\n$/, ""), "=======", fresh, ">>>>>>> REPLACE"].join("\n");
    const originalContent = readFileSync(file, "utf8");
    applied(file, await multiSearchReplaceService.multiSearchReplaceService.applyDiff({ originalContent, diffContent }));
  });
}

async function relaycodeDiff() {
  const { newUnifiedDiffStrategyService } = await relaycode();
  const strategy = newUnifiedDiffStrategyService.newUnifiedDiffStrategyService.create();
  return async (item, folder) => {
    for (const diffContent of diff(item).split(/^(?=--- )/m).filter((part) => part.startsWith("--- "))) {
      const [, path] = diffContent.match(/^\+\+\+ (?:b\/)?([^\t\n]+)/m) ?? [];
      const file = join(folder, path ?? "");
      const originalContent = existsSync(file) ? readFileSync(file, "utf8") : "";
      applied(file, await strategy.applyDiff({ originalContent, diffContent }));
    }
    return true;
  };
}

async function clineEditor() {
  const { createEditorExecutor } = await load("@cline/core/dist/index.js");
  const editor = createEditorExecutor();
  return each((path, old_text, new_text, folder) => editor({ path, old_text, new_text }, folder, {}));
}

async function clinePatch() {
  const { createApplyPatchExecutor } = await load("@cline/core/dist/index.js");
  const executor = createApplyPatchExecutor();
  return async (item, folder) => {
    await executor({ input: envelope(item) }, folder, {});
    return true;
  };
}

// opencode is one executable with its script inside. The functions that match text are cut out of it: between these marks
// stand no others, and the names the script gives them are read from how they are used.
function opencodeScript(from, to, exports) {
  const text = readFileSync(require.resolve("opencode-linux-x64/bin/opencode"), "latin1");
  const end = text.indexOf(to);
  const start = text.lastIndexOf(from, end);
  if (start < 0 || end < 0) throw new Error("this version of opencode is built otherwise");
  const code = Buffer.from(text.slice(start, end), "latin1").toString("utf8");
  const names = exports.map((pattern) => code.match(pattern)[1]);
  return new Function("x", `${code.replace(/,$/, "")}; return [${names}]`)((text) => ({ bom: false, text }));
}

function opencodeEdit() {
  const marks = ["function fe(o,e){", 'import gr from"path"'];
  const [replace] = opencodeScript(...marks, [/function (\w+)\(o,e,r,t=!1\)\{if\(e===r\)throw/]);
  return each((file, old, fresh) => {
    const text = readFileSync(file, "utf8");
    const ending = text.includes("\r\n") ? "\r\n" : "\n";
    write(file, replace(text, old.replaceAll("\n", ending), fresh.replaceAll("\n", ending)));
  });
}

function opencodePatch() {
  const [parse, derive] = opencodeScript("function pn(o,e){", 'var kt=s.fn("Patch.', [
    /function (\w+)\(o\)\{let r=\w+\(o\.trim/,
    /function (\w+)\(o,e,r\)\{let t=x\(r\)/,
  ]);
  return (item, folder) => {
    const { hunks } = parse(envelope(item));
    if (!hunks.length) return false;
    const changes = hunks.map((hunk) => {
      const path = join(folder, hunk.path);
      if (hunk.type === "add") return () => write(path, hunk.contents && hunk.contents.replace(/\n?$/, "\n"));
      const before = readFileSync(path, "utf8");
      if (hunk.type === "delete") return () => rmSync(path);
      const { content } = derive(path, hunk.chunks, before);
      return () => {
        if (hunk.move_path) rmSync(path);
        write(hunk.move_path ? join(folder, hunk.move_path) : path, content);
      };
    });
    changes.forEach((change) => change());
    return true;
  };
}

function codex() {
  const folders = ["node_modules/@openai", "-type", "f", "-path", "*/vendor/*", "-name", "codex"];
  const [program] = execFileSync("find", folders, { cwd: import.meta.dirname, encoding: "utf8" }).split("\n");
  return (item, folder) => {
    const args = ["--codex-run-as-apply-patch", envelope(item)];
    return ends(join(import.meta.dirname, program), args, { cwd: folder });
  };
}

function aider(coder) {
  const script = join(import.meta.dirname, "run_aider.py");
  const python = spawn(process.env.AIDER_PYTHON ?? "python3", [script], { stdio: ["pipe", "pipe", "ignore"] });
  const answers = createInterface({ input: python.stdout });
  return async (item, folder) => {
    python.stdin.write(JSON.stringify({ coder, folder, files: Object.keys(item.files), response: item.response }) + "\n");
    const { applied, error } = JSON.parse(await once(answers, "line"));
    if (error) throw new Error(error);
    return applied;
  };
}

const system = (command, ...args) => (item, folder) => ends(command, args, { cwd: folder, input: diff(item) });

function relay() {
  return (item, folder) => {
    const home = dirname(folder);
    const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home };
    execFileSync("git", ["init", "-q"], { cwd: folder, env });
    return ends(process.env.RELAY ?? "relay", ["apply", "--json", "--allow-sensitive"], { cwd: folder, env, input: item.response });
  };
}

// Relay reads what the others are given, on the cases they are given.
export const TOOLS = {
  search_replace: {
    relay,
    opencode: opencodeEdit,
    "gemini-cli": gemini,
    pi,
    cline: clineEditor,
    relaycode: relaycodeSections,
    aider: () => aider("search_replace"),
  },
  apply_patch: { relay, codex, opencode: opencodePatch, cline: clinePatch, aider: () => aider("patch") },
  unified: {
    relay,
    "git apply": () => system("git", "apply", "--recount", "--ignore-whitespace"),
    patch: () => system("patch", "-p1", "--batch", "--forward", "--no-backup-if-mismatch", "-r", "-"),
    relaycode: relaycodeDiff,
  },
  udiff: { relay, aider: () => aider("udiff") },
};

export const READABLE = { search_replace: calls, apply_patch: envelope, unified: diff, udiff: () => true };
