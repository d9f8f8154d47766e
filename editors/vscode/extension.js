// Starts `fairly lsp` and leaves everything else to it. Verdicts above properties are code lenses; their command,
// `fairly.check`, is one that the server offers, and the client library hands it on.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("fairly");
  const server = { command: settings.get("command"), args: ["lsp", ...settings.get("arguments")] };
  const options = { documentSelector: [{ language: "fair" }] };
  client = new LanguageClient("fairly", "Fairly", server, options);
  return client.start();
};

exports.deactivate = () => client?.stop();
