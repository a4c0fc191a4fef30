import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Backoff } from "../../src/server/backoff";
import { fromSetting, inEnvironment, search, type Candidate } from "../../src/server/candidates";
import { nested } from "../../src/server/nested";
import { expanded, liesIn, onPath, pythonOf } from "../../src/server/places";
import {
  carriedWheel,
  createEnvironment,
  existingEnvironment,
  InstallationError,
  isOutdated,
  removeOld,
} from "../../src/server/privateEnvironment";
import { run, type Finished } from "../../src/server/processes";
import { choosePython } from "../../src/server/pythons";
import { compareVersions, printedVersion, wheelVersion } from "../../src/server/version";

const said = (stdout: string): Finished => ({ status: 0, stdout, stderr: "", problem: undefined });
const failed = (problem: string, more: Partial<Finished> = {}): Finished => ({
  status: 1, stdout: "", stderr: "", problem, ...more,
});

let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), "snd-unit-")); });
afterEach(() => rm(folder, { recursive: true }));

async function program(path: string, script: string): Promise<string> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

// ---- versions -------------------------------------------------------------------------------------------------------
test("the version that --version prints", () => {
  assert.equal(printedVersion("snd, version 0.1.0\n"), "0.1.0");
  assert.equal(printedVersion("a warning\r\nsnd, version 1.2rc1\r\n"), "1.2rc1");
  assert.equal(printedVersion("sound 0.1.0"), undefined);
  assert.equal(printedVersion("Python 3.11.2"), undefined);
  assert.equal(printedVersion(""), undefined);
});

test("the version of a wheel", () => {
  assert.equal(wheelVersion("snd-0.1.0-py3-none-any.whl"), "0.1.0");
  assert.equal(wheelVersion("snd-0.2.0rc1-1-py3-none-any.whl"), "0.2.0rc1");
  assert.equal(wheelVersion("sndfile-0.1.0-py3-none-any.whl"), undefined);
  assert.equal(wheelVersion("snd-0.1.0.tar.gz"), undefined);
});

test("the order of versions", () => {
  const inOrder = ["0.1", "0.2rc1", "0.2", "0.2.1", "0.10.0", "1.0"];
  for (const [at, version] of inOrder.entries()) {
    for (const [other, later] of inOrder.entries()) {
      assert.equal(Math.sign(compareVersions(version, later)), Math.sign(at - other), `${version} ${later}`);
    }
  }
  assert.equal(compareVersions("0.1", "0.1.0"), 0);
});

// ---- back-off -------------------------------------------------------------------------------------------------------
test("crashes in a row are waited for longer and longer, and the fifth is the last", () => {
  let now = 0;
  const backoff = new Backoff(() => now);
  const delays = [1, 2, 3, 4, 5].map(() => {
    now += 10_000;
    return backoff.crashed();
  });
  assert.deepEqual(delays, [1000, 2000, 4000, 8000, undefined]);
});

test("crashes that lie back count no more", () => {
  let now = 0;
  const backoff = new Backoff(() => now);
  for (let count = 0; count < 20; count++) {
    now += 60_000;
    assert.ok(backoff.crashed() !== undefined, "three within three minutes at most");
  }
  now += 180_000;
  assert.equal(backoff.crashed(), 1000);
});

test("a new beginning forgets crashes", () => {
  const backoff = new Backoff(() => 0);
  for (let count = 0; count < 4; count++) backoff.crashed();
  backoff.reset();
  assert.equal(backoff.crashed(), 1000);
});

// ---- the search -----------------------------------------------------------------------------------------------------
const environment = inEnvironment("environment", "/env/bin/python");
const onThePath: Candidate = { source: "path", command: "/bin/snd", args: [], place: "/bin/snd" };
const own = inEnvironment("private", "/own/bin/python");

test("the first candidate that answers is taken, and those before it are told", async () => {
  const asked: string[] = [];
  const { found, failures } = await search([environment, onThePath, own], async ({ command }) => {
    asked.push(command);
    return command === "/bin/snd" ? said("snd, version 0.3.0\n") : failed("No module named snd_server");
  });
  assert.deepEqual(asked, ["/env/bin/python", "/bin/snd"]);
  assert.equal(found?.source, "path");
  assert.equal(found?.version, "0.3.0");
  assert.deepEqual(failures.map((each) => each.problem), ["No module named snd_server"]);
});

test("a program that is something else is no server", async () => {
  const { found, failures } = await search([onThePath], async () => said("SoX v14.4.2"));
  assert.equal(found, undefined);
  assert.match(failures[0]!.problem, /no snd.*SoX/);
});

test("if the setting names a server, no other is tried", async () => {
  const named = fromSetting("/my/snd", []);
  const { found, failures } = await search([named, onThePath], async ({ command }) =>
    command === "/my/snd" ? failed("there is no such program") : said("snd, version 1"));
  assert.equal(found, undefined);
  assert.deepEqual(failures.map((each) => each.candidate.source), ["setting"]);
});

test("the setting may name a Python", () => {
  assert.deepEqual(fromSetting("/usr/bin/python3.12", []).args, ["-P", "-m", "snd_server"]);
  assert.deepEqual(fromSetting("C:\\env\\Scripts\\python.exe", []).args, ["-P", "-m", "snd_server"]);
  assert.deepEqual(fromSetting("/usr/bin/python3", ["-m", "mine"]).args, ["-m", "mine"]);
  assert.deepEqual(fromSetting("/opt/pythonic/snd", []).args, []);
});

test("the current folder is no place for the server's modules", () => assert.ok(environment.args.includes("-P")));

// ---- places ---------------------------------------------------------------------------------------------------------
test("programs are found in the folders of PATH, but not in relative ones", async () => {
  const file = await program(join(folder, "bin/snd-test"), "exit");
  assert.equal(await onPath("snd-test", ["/nowhere", join(folder, "bin")].join(delimiter)), file);
  const before = process.cwd();
  process.chdir(folder);
  try {
    assert.equal(await onPath("snd-test", ["bin", ".", ""].join(delimiter)), undefined);
  } finally {
    process.chdir(before);
  }
  await chmod(file, 0o644);
  assert.equal(await onPath("snd-test", join(folder, "bin")), undefined, "it can't be executed");
});

test("variables in paths", () => {
  assert.equal(expanded("${workspaceFolder}/.venv", "/w"), "/w/.venv");
  assert.equal(expanded("~/env", undefined), join(homedir(), "env"));
  process.env["SND_UNIT_TEST"] = "/x";
  assert.equal(expanded("${env:SND_UNIT_TEST}/snd", undefined), "/x/snd");
  assert.equal(expanded("/a~b", undefined), "/a~b");
});

// ---- processes ------------------------------------------------------------------------------------------------------
test("what becomes of a process", async () => {
  const sh = (script: string, timeoutMs = 10_000) => run("/bin/sh", ["-c", script], { timeoutMs });
  assert.deepEqual(await sh("echo out"), { status: 0, stdout: "out\n", stderr: "", problem: undefined });
  assert.equal((await sh("echo first >&2; echo last >&2; exit 3")).problem, "status 3: last");
  assert.equal((await run(join(folder, "none"), [], { timeoutMs: 1000 })).problem, "there is no such program");
  assert.match((await sh("exec sleep 20", 200)).problem ?? "", /did not end within 0.2 seconds/);
  const controller = new AbortController();
  const waiting = run("/bin/sleep", ["20"], { timeoutMs: 20_000, signal: controller.signal });
  controller.abort();
  assert.equal((await waiting).problem, "it was cancelled");
});

// ---- Pythons --------------------------------------------------------------------------------------------------------
test("a Python that is new enough and can make environments", async () => {
  const answers: Record<string, Finished> = {
    old: said("3.10\n"),
    bare: failed("status 1", { stdout: "3.12\n", stderr: "ModuleNotFoundError: No module named 'ensurepip'" }),
    shim: failed("status 127: command not found"),
    good: said("3.11\n"),
    newer: said("4.0\n"),
  };
  const { python, refused } = await choosePython(Object.keys(answers), async (each) => answers[each]!);
  assert.equal(python, "good");
  assert.equal(refused.length, 3);
  assert.match(refused[0]!, /old: it is Python 3\.10; 3\.11 or newer/);
  assert.match(refused[1]!, /bare: it can't make environments/);
  assert.equal((await choosePython(["newer"], async () => answers["newer"]!)).python, "newer");
  assert.deepEqual(await choosePython([]), { python: undefined, refused: [] });
});

// ---- the environment of the extension -------------------------------------------------------------------------------
const PYTHON = `
case "$*" in
  *"-m venv"*) for folder; do :; done; mkdir -p "$folder/bin"; cp "$0" "$folder/bin/python";;
  *"pip install"*) echo Successfully installed; exit "\${SND_PIP:-0}";;
  *--version*) echo "snd, version 0.2.0";;
esac`;
const quiet = () => {
  const told: string[] = [];
  return { told, report: (text: string) => void told.push(text), log: () => undefined, signal: new AbortController().signal };
};

async function wheelFile(version = "0.2.0", content = "wheel"): Promise<string> {
  await mkdir(join(folder, "wheel"), { recursive: true });
  await writeFile(join(folder, "wheel", `snd-${version}-py3-none-any.whl`), content);
  return join(folder, "wheel");
}

test("an environment is made, found again, and replaced by that of a newer wheel", { skip: process.platform === "win32" }, async () => {
  const python = await program(join(folder, "python3"), PYTHON);
  const wheel = (await carriedWheel(await wheelFile()))!;
  const storage = join(folder, "storage");
  assert.equal(await existingEnvironment(storage), undefined);
  const progress = quiet();
  const made = await createEnvironment(storage, python, wheel, progress);
  assert.deepEqual(progress.told, ["Creating the environment", "Installing the server", "Trying the server"]);
  assert.deepEqual(await existingEnvironment(storage), made);
  assert.equal(isOutdated(made, wheel), false);
  assert.equal(isOutdated(made, { ...wheel, version: "0.3.0" }), true);
  assert.equal(isOutdated(made, { ...wheel, version: "0.1.9" }), false, "an older one replaces nothing");
  assert.equal(isOutdated(made, { ...wheel, digest: "other" }), true, "another build of the same version");
  await rm(join(storage, made.folder), { recursive: true });
  assert.equal(await existingEnvironment(storage), undefined, "it is gone");
});

test("an installation that fails leaves what was there, and nothing of itself", { skip: process.platform === "win32" }, async () => {
  const python = await program(join(folder, "python3"), PYTHON);
  const wheel = (await carriedWheel(await wheelFile()))!;
  const storage = join(folder, "storage");
  const made = await createEnvironment(storage, python, wheel, quiet());
  process.env["SND_PIP"] = "1";
  try {
    await assert.rejects(createEnvironment(storage, python, wheel, quiet()), (error: Error) =>
      error instanceof InstallationError && /Installing the server failed/.test(error.message));
  } finally {
    delete process.env["SND_PIP"];
  }
  assert.deepEqual(await existingEnvironment(storage), made);
  assert.deepEqual((await readdir(storage)).sort(), ["environment.json", made.folder].sort());
});

test("what is written down wrongly is no environment", async () => {
  for (const text of ["", "{", "null", "{}", '{"folder": 1, "version": 2, "digest": 3}']) {
    await writeFile(join(folder, "environment.json"), text);
    assert.equal(await existingEnvironment(folder), undefined, text);
  }
});

test("environments that were replaced long ago are removed", async () => {
  const current = { folder: "server-2", version: "2", digest: "d" };
  await writeFile(join(folder, "environment.json"), JSON.stringify(current));
  for (const name of ["server-1", "server-2", "server-3", "other"]) await program(pythonOf(join(folder, name)), "exit");
  const longAgo = new Date(Date.now() - 30 * 24 * 3600 * 1000);
  for (const name of ["server-1", "server-2", "other"]) await utimes(join(folder, name), longAgo, longAgo);
  await removeOld(folder);
  assert.deepEqual((await readdir(folder)).sort(), ["environment.json", "other", "server-2", "server-3"]);
});

test("an extension without a wheel", async () => assert.equal(await carriedWheel(join(folder, "none")), undefined));

// ---- settings -------------------------------------------------------------------------------------------------------
test("settings as the server reads them", () => {
  const flat = { lineWidth: 90, "evaluation.seed": 1, "evaluation.enabled": true, "inlayHints.enabled": false, "inlayHints.shapes": true };
  assert.deepEqual(nested(flat), { lineWidth: 90, evaluation: { seed: 1 }, inlayHints: false });
  assert.deepEqual(nested({}), {});
});

// ---- programs of workspaces that are not trusted --------------------------------------------------------------------
test("a program lies where its path, and every link on the way, leads", async () => {
  const workspace = join(folder, "workspace"), outside = join(folder, "outside");
  const own = await program(join(workspace, ".venv/bin/snd"), "");
  const other = await program(join(outside, "bin/snd"), "");
  assert.equal(await liesIn(own, [workspace]), true);
  assert.equal(await liesIn(join(workspace, "no-such-file"), [workspace]), true);
  assert.equal(await liesIn(join(outside, "../workspace/.venv/bin/snd"), [workspace]), true);
  assert.equal(await liesIn(other, [workspace]), false);
  assert.equal(await liesIn(join(workspace, "../outside/bin/snd"), [workspace]), false);
  assert.equal(await liesIn(join(folder, "workspace-of-others/snd"), [workspace]), false);
  assert.equal(await liesIn(other, []), false);

  await symlink(other, join(workspace, "python"));  // as environments have it
  assert.equal(await liesIn(join(workspace, "python"), [workspace]), true);
  await symlink(own, join(outside, "bin/led"));
  assert.equal(await liesIn(join(outside, "bin/led"), [workspace]), true);
  await symlink(join(workspace, "python"), join(outside, "bin/by-way-of"));
  assert.equal(await liesIn(join(outside, "bin/by-way-of"), [workspace]), true);
  await symlink(join(workspace, ".venv"), join(outside, "environment"));
  assert.equal(await liesIn(join(outside, "environment/bin/snd"), [workspace]), true);
  await symlink(workspace, join(folder, "opened"));
  assert.equal(await liesIn(own, [join(folder, "opened")]), true);
  await symlink("circle", join(outside, "circle"));
  assert.equal(await liesIn(join(outside, "circle"), [workspace]), true);
});
