/** Nothing in the tree tells of the machine, the registry or the tools it was written with. */
import type { Finding } from "../finding.ts";
import type { Project } from "../read-project.ts";

interface Mark {
  readonly name: string;
  /**
   * A regular expression in base64, so that this file and its tests do not contain what they look
   * for.
   */
  readonly pattern: string;
  readonly advice: string;
  /** Documentation and the tests of clients may name the tools that callers use. */
  readonly sourceOnly?: true;
}

const MARKS: readonly Mark[] = [
  {
    name: "an author's mark",
    pattern:
      "Y28tYXV0aG9yZWQtYnk6fGdlbmVyYXRlZCAod2l0aHxieSkgXFs/KGNsYXVkZXxjb3BpbG90fGNvZGV4fGN1cnNvcnxjaGF0Z3B0fGFuPyAoYWl8bGxtfGFzc2lzdGFudHxhZ2VudCkpfFxiYXMgYW4gYWlcYnxub3JlcGx5QGFudGhyb3BpY3xcdXsxRjkxNn0=",
    advice: "the text speaks for itself; remove it",
  },
  {
    name: "a writing tool",
    pattern: "XGIoY29waWxvdHxjb2RleHx3aW5kc3VyZnxkZXZpbnxhaWRlcilcYg==",
    advice:
      "remove it; names of callers' tools belong in docs/, test/clients/ and src/http/site/clients/",
    sourceOnly: true,
  },
  {
    name: "a work note",
    pattern:
      "XGJoZWxwZXIgW0EtSF1cYnxcYnRoZSBsZWFkXGIgKHNheXN8d3JpdGVzfHdhbnRzfHdpbGwpfFxibXkgYnJpZWZcYnxcYnBsYW5cLm1kXGI=",
    advice: "say it so that a stranger understands, or remove it",
  },
  {
    name: "a path of one machine",
    pattern:
      "KD88IVtcdy5+fS1dKS93b3JrL3wvdG1wL2Jhc2hfam9ic3woPzwhW1x3Ll0pL3Jvb3QvXC58L2hvbWUvW2Etel0rLw==",
    advice: "write it from the root of the project",
  },
  {
    name: "a package registry's host",
    pattern:
      "cmVnaXN0cnlcLm5wbWpzXC5vcmd8cmVnaXN0cnlcLnlhcm5wa2dcLmNvbXxucG1taXJyb3JcLnxyZWdpc3RyeVwubnBtXC58dmVyZGFjY2lvfGpmcm9nXC5pb3xhcnRpZmFjdG9yeQ==",
    advice:
      "the installer's own setting decides; for package-lock.json set omit-lockfile-registry-resolved=true and write it again",
  },
];

const SOURCE =
  /^(src(?!\/http\/site\/clients)|packages|sandbox|test(?!\/clients)|tools|bench|bin|migrations)\//;

export function checkForeignMarks(project: Project): Finding[] {
  const marks = MARKS.map((mark) => ({
    ...mark,
    expression: new RegExp(Buffer.from(mark.pattern, "base64").toString("utf8"), "giu"),
  }));
  const findings: Finding[] = [];
  for (const file of project.texts) {
    for (const { expression, name, advice, sourceOnly } of marks) {
      if (sourceOnly === true && !SOURCE.test(file.path)) continue;
      for (const match of file.text.matchAll(expression)) {
        findings.push({
          path: file.path,
          line: file.lineAt(match.index),
          rule: "foreign-mark",
          message: `"${match[0]}" is ${name}: ${advice}`,
        });
      }
    }
  }
  return findings;
}
