// A button on each text that is meant to be copied. Without scripts the page lacks nothing else.
for (const block of document.querySelectorAll("pre.assume, pre.source")) {
  const lines = block.matches(".source") ? [...block.children].map((line) => line.textContent) : [block.textContent];
  const text = lines.join("\n") + "\n";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Some browsers give no clipboard to a page from a file.
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  const box = document.createElement("div");
  box.className = "copied";
  block.replaceWith(box);
  box.append(block, button);
}
