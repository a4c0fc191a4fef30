// Builds the wheel that the extension carries, into dist/wheel: the language server for those who have none.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const repository = join(here, "..");
const wheels = join(here, "dist", "wheel");
const ours = join(repository, ".venv", process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
const python = process.env.PYTHON ?? (existsSync(ours) ? ours : "python3");

rmSync(wheels, { recursive: true, force: true });
execFileSync(
  python,
  ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", wheels, repository],
  { stdio: "inherit" },
);
