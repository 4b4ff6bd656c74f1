// What pi's own client starts in place of pi: it runs whatever it is given with node, so this hands over to Relay.
const { spawn } = require("node:child_process");
const relay = spawn(process.env.RELAY, ["rpc", "--model", "lab/m", "--policy", "full"], { stdio: "inherit" });
process.on("SIGTERM", () => relay.kill("SIGTERM"));
relay.on("exit", (code) => process.exit(code ?? 1));
