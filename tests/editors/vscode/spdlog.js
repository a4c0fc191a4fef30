// In the place of VS Code's logger, which would have to be compiled: writes lines to files, so that output channels show
// what extensions log, and logs are left for who looks for the reason of a failure.
const { appendFileSync, mkdirSync } = require("node:fs");
const { dirname } = require("node:path");

const LEVELS = ["trace", "debug", "info", "warn", "error", "critical"];
const SHOWN = { warn: "warning" };

class Logger {
  constructor(_kind, name, file) {
    Object.assign(this, { name, file, level: 2, bare: false });
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, "");
  }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() {}
  clearFormatters() { this.bare = true; }
  flush() {}
  drop() {}
}
for (const [rank, level] of LEVELS.entries()) {
  Logger.prototype[level] = function (message) {
    if (rank < this.level) return;
    const time = new Date().toISOString().replace("T", " ").replace("Z", "");
    appendFileSync(this.file, this.bare ? message : `${time} [${SHOWN[level] ?? level}] ${message}\n`);
  };
}

exports.Logger = Logger;
exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = exports.createAsyncRotatingLogger = async (name, file) => new Logger("rotating", name, file);
