/** The code that draws graphs. It is in the wheel that the extension carries, since `snd graph` draws with it, too. */
import { readFile } from "node:fs/promises";
import { strFromU8, unzipSync } from "fflate";
import { carriedWheel } from "../server/privateEnvironment";

const ENGINE = "snd_server/drawing/graph-engine.js";
const PAGE = "snd_server/drawing/graph-page.js";

export interface Drawing {
  readonly engine: string;
  readonly page: string;
}

/** The drawing in the wheel of a folder. Raises Error if the extension was built without. */
export async function drawing(folder: string): Promise<Drawing> {
  const wheel = await carriedWheel(folder);
  if (wheel === undefined) throw new Error(`there is no wheel in ${folder}: \`npm run wheel\` makes it`);
  const files = unzipSync(await readFile(wheel.file), { filter: ({ name }) => name === ENGINE || name === PAGE });
  return { engine: strFromU8(files[ENGINE]!), page: strFromU8(files[PAGE]!) };
}
