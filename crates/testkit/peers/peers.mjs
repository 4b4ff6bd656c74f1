// Runs cases through the appliers of other tools and through Relay, and prints what became of them.
// usage: node peers.mjs CASES.jsonl… (environment: RELAY, AIDER_PYTHON; ONLY names one tool, SHOW prints every verdict)

import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Worker } from "node:worker_threads";
import { read } from "./cases.mjs";
import { READABLE, TOOLS } from "./tools.mjs";

function state(folder) {
  const files = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (/^\.(git|relaycode)(\/|$)/.test(name) || entry.isDirectory()) continue;
    files[name] = entry.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, "utf8");
  }
  return files;
}

// Whether every line of a text is that of one of the texts it may be.
function mixed(text, sides) {
  const lines = text.split("\n");
  const options = sides.map((side) => side.split("\n"));
  return options.some((side) => side.length === lines.length) && lines.every((line, at) => options.some((side) => side[at] === line));
}

function verdict(item, applied, before, after) {
  const same = (one, other) => JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
  const { status, files = {}, alt = [], reject_ok } = item.expect;
  if (!applied) return same(before, after) ? (status === "applied" && !reject_ok ? "refused" : "right") : "half";
  if (status === "rejected") return same(before, after) ? "right" : "wrong";
  const meant = Object.fromEntries(Object.entries({ ...before, ...files }).filter(([, text]) => text !== null));
  const fits = (path) => {
    const sides = [meant, ...alt].map((side) => side[path]).filter((text) => text !== undefined && text !== null);
    return path in after ? mixed(after[path], sides) : sides.length === 0;
  };
  return [...new Set([...Object.keys(after), ...Object.keys(meant)])].every(fits) ? "right" : "wrong";
}

// A tool that has not answered after so long never will, and has refused.
const PATIENCE_MS = 20_000;

class Tool {
  constructor(dialect, name) {
    Object.assign(this, { dialect, name });
  }

  async start() {
    const workerData = { dialect: this.dialect, name: this.name };
    // What the tools print is not for the table.
    this.worker = new Worker(new URL("worker.mjs", import.meta.url), { workerData, stdout: true, stderr: true });
    await this.answer();
  }

  async answer() {
    const [answer] = await once(this.worker, "message");
    return answer;
  }

  async apply(item, folder) {
    if (!this.worker) await this.start();
    let clock;
    const late = new Promise((resolve) => {
      clock = setTimeout(resolve, PATIENCE_MS, { applied: false, error: "no answer" });
    });
    this.worker.postMessage({ item, folder });
    const { applied, error } = await Promise.race([this.answer(), late]);
    clearTimeout(clock);
    if (error === "no answer") await this.stop();
    if (error && process.env.SHOW) console.error(item.id, error.slice(0, 200));
    return applied;
  }

  async stop() {
    await this.worker?.terminate();
    this.worker = null;
  }
}

async function run(tool, item) {
  const base = mkdtempSync(join(tmpdir(), "peers-"));
  const folder = join(base, "work");
  for (const [path, text] of Object.entries(item.files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(folder, { recursive: true });
  const before = state(folder);
  const applied = await tool.apply(item, folder);
  const after = state(folder);
  rmSync(base, { recursive: true });
  const found = verdict(item, applied, before, after);
  return { found, landed: found === "right" && applied };
}

const items = process.argv.slice(2).flatMap(read);
const row = (name, cells) => console.log(name.padEnd(16) + cells.map((cell) => String(cell).padStart(9)).join(""));
for (const [dialect, tools] of Object.entries(TOOLS)) {
  const readable = items.filter((item) => item.dialect === dialect && READABLE[dialect](item));
  row(dialect, ["cases", "right", "landed", "refused", "wrong", "half"]);
  for (const name of Object.keys(tools)) {
    if (process.env.ONLY && process.env.ONLY !== name) continue;
    const tool = new Tool(dialect, name);
    const counts = { right: 0, landed: 0, refused: 0, wrong: 0, half: 0 };
    for (const item of readable) {
      const { found, landed } = await run(tool, item);
      counts[found] += 1;
      counts.landed += landed ? 1 : 0;
      if (process.env.SHOW) console.log(name, found, item.id);
    }
    await tool.stop();
    row(name, [readable.length, ...Object.values(counts)]);
  }
}
