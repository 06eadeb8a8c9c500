/**
 * What only tests use lies with the tests: under src a reader finds what runs, and the tests of it.
 */
import type { Finding } from "../finding.ts";
import type { Project } from "../read-project.ts";

export function checkTestsOwnFiles(project: Project): Finding[] {
  const usedByTests = new Set<string>();
  const used = new Set<string>();
  for (const file of project.sources)
    for (const { target } of file.imports)
      if (target !== null) (file.isTest ? usedByTests : used).add(target);
  return project.sources
    .filter(
      ({ path, isTest }) =>
        path.startsWith("src/") && !isTest && usedByTests.has(path) && !used.has(path),
    )
    .map(({ path }) => ({
      path,
      line: 1,
      rule: "tests-own-file",
      message: "only tests import it: move it into test/support",
    }));
}
