// Bundles the page into one file that needs nothing else: built/page.html. With --check it only says whether that file is
// up to date.
import { build } from "esbuild";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const here = dirname(fileURLToPath(import.meta.url));
const bundled = await build({
  entryPoints: [join(here, "src/main.js")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  write: false,
});
const style = await build({ entryPoints: [join(here, "src/style.css")], minify: true, write: false });
const script = bundled.outputFiles[0].text.replaceAll("</script", "<\\/script");
const page = readFileSync(join(here, "src/page.html"), "utf8")
  .replace("/* style */", () => style.outputFiles[0].text.trim())
  .replace("/* script */", () => script.trim());
const target = join(here, "built/page.html");
if (process.argv.includes("--check")) {
  let known = "";
  try {
    known = readFileSync(target, "utf8");
  } catch {
    // It is not there.
  }
  if (known !== page) {
    console.error("built/page.html is out of date; run `npm ci && npm run build` in crates/cli/page");
    process.exit(1);
  }
} else {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, page);
  console.log(`${target}: ${(page.length / 1024).toFixed(0)} kB`);
}
