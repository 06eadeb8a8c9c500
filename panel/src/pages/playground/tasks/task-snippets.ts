/** The order of a task as code that anybody can run: with curl, TypeScript and Python. */
import type { Code } from "../../../ui/code-block.tsx";
import { inPython, inShell } from "../literals.ts";
import type { TaskInput } from "./task-call.ts";

/** @param origin where the API is. */
export function taskSnippets(model: string, input: TaskInput, origin: string): readonly Code[] {
  const url = `${origin}/v1/tasks/${model.split("/").map(encodeURIComponent).join("/")}`;
  const json = JSON.stringify(input, null, 2);
  return [
    {
      name: "curl",
      code: `curl ${inShell(url)} \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${inShell(json)}

curl ${inShell(`${origin}/v1/tasks/TASK_ID`)} -H "Authorization: Bearer $TOLLGATE_KEY"`,
    },
    {
      name: "TypeScript",
      code: `const api = ${JSON.stringify(`${origin}/v1/tasks`)};
const headers = { Authorization: \`Bearer \${process.env.TOLLGATE_KEY}\`, "Content-Type": "application/json" };

const order = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers,
  body: JSON.stringify(${json.replaceAll("\n", "\n  ")}),
});
const { data } = await order.json();
if (!order.ok) throw new Error(\`HTTP \${order.status}\`);

let task;
do {
  await new Promise((resolve) => setTimeout(resolve, 3000));
  task = (await (await fetch(\`\${api}/\${data.taskId}\`, { headers })).json()).data;
} while (task.state === "queued" || task.state === "processing");
console.log(task.result?.files ?? task.error);`,
    },
    {
      name: "Python",
      code: `import os
import time

import requests

api = ${JSON.stringify(`${origin}/v1/tasks`)}
headers = {"Authorization": f"Bearer {os.environ['TOLLGATE_KEY']}"}

order = requests.post(
    ${JSON.stringify(url)},
    headers=headers,
    json=${inPython(input, 4)},
)
order.raise_for_status()
task_id = order.json()["data"]["taskId"]

while True:
    time.sleep(3)
    task = requests.get(f"{api}/{task_id}", headers=headers).json()["data"]
    if task["state"] not in ("queued", "processing"):
        break
print(task["result"] or task["error"])`,
    },
  ];
}
