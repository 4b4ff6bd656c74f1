// One tool in a thread of its own, so that one that never ends can be ended.

import { parentPort, workerData } from "node:worker_threads";
import { TOOLS } from "./tools.mjs";

const apply = await TOOLS[workerData.dialect][workerData.name]();
parentPort.on("message", async ({ item, folder }) => {
  try {
    parentPort.postMessage({ applied: await apply(item, folder) });
  } catch (error) {
    parentPort.postMessage({ applied: false, error: String(error.message) });
  }
});
parentPort.postMessage("ready");
