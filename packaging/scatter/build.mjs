// Bundle entry.js with three.js into the package, with the license of three.js at its beginning.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const folder = new URL("./node_modules/three/", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
const license = readFileSync(new URL("LICENSE", folder), "utf8").trim();
await build({
  entryPoints: ["entry.js"],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "three",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  banner: { js: `/*!\nthree.js ${version}, made by packaging/scatter\n\n${license}\n*/` },
  outfile: "../../src/doc2vecc/map/page/three.min.js",
});
