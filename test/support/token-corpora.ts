/**
 * Texts of every class that the token estimate must bound, made here: ordinary prose and code, and
 * random runs of every script.
 */
import { readFileSync } from "node:fs";

export interface Corpus {
  readonly name: string;
  readonly text: string;
  /** Russian, English and code as people write them: the estimate must also not be far above. */
  readonly ordinary: boolean;
}

/** A small seeded generator (mulberry32), so that a failure is the same at every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const RUSSIAN_NEWS = `
Вчера вечером на реке у старого моста открылась набережная, которую горожане ждали почти десять лет. Подрядчик трижды переносил сроки:
сначала не хватило камня, потом весенний паводок размыл опоры, а в прошлом году выяснилось, что смета выросла почти вдвое. Теперь здесь
двадцать две скамейки, велосипедная дорожка длиной 3,4 километра и небольшая сцена. «Мы приходим сюда каждый вечер, — рассказывает
пенсионерка Валентина Сергеевна, — раньше тут были одни лопухи да битое стекло». Администрация обещает к осени достроить причал для
прогулочных катеров и осветить спуск к воде. Стоимость второй очереди оценивается в 118 миллионов рублей; конкурс объявят в сентябре.`;

const RUSSIAN_LAW = `
1. Исполнитель обязуется предоставить Заказчику доступ к программному обеспечению, а Заказчик обязуется оплачивать фактически
потреблённые услуги в порядке и на условиях, предусмотренных настоящим договором. 2. Расчётным периодом признаётся календарный месяц.
3. В случае неисполнения либо ненадлежащего исполнения обязательств сторона, чьё право нарушено, вправе требовать возмещения убытков,
за исключением случаев, вызванных обстоятельствами непреодолимой силы. 4. Споры разрешаются путём переговоров, а при недостижении
согласия — в арбитражном суде по месту нахождения ответчика. Дополнительные соглашения действительны, если они подписаны обеими сторонами.`;

const RUSSIAN_TALK = `
Слушай, а ты вообще пробовал этот новый фреймворк? Я вчера полдня убил, чтоб завести его на своём ноуте, и всё равно падает с какой-то
дичью про несовместимую версию. Ну ок, снёс, поставил заново — заработало! Правда, щас тормозит жутко, хз почему... Может, память течёт?
Короче, если будет время, глянь плиз логи, я кину в личку. Кстати, борщ вчера получился огонь, спасибо за рецепт :) Только свёклу я всё-таки
запекал, а не варил. Бабушка бы не одобрила, хахаха. Ладно, побежал, созвонимся завтра после обеда, часа в три?`;

const RUSSIAN_TECH = `
Сборщик мусора обходит граф объектов, начиная с корней: глобальных переменных, стека и регистров. Всё, до чего он не дошёл, считается
недостижимым и освобождается. В API метод POST /v1/chat/completions принимает JSON с полями model, messages и temperature; ответ при
stream=true приходит событиями text/event-stream. Ключ передаётся в заголовке x-api-key. Если баланса недостаточно, сервер отвечает
кодом 402, и повторять запрос бессмысленно. Транзакция фиксируется до отправки первого байта, поэтому падение процесса ничего не теряет.`;

const ENGLISH_STORY = `
The lighthouse keeper had a habit of counting the waves before breakfast, and on the morning the letter came he lost his place at four
hundred and twelve. Nobody wrote to him. The mail boat brought paraffin, flour, two newspapers a week old and, once a year, a calendar with
pictures of cows. He turned the envelope over, weighed it on his palm and put it behind the clock, where it stayed until Thursday. "It's from
your sister," said the boatman, who had read the back of it. "She wants to know whether you're still alive." He thought about that for a while.`;

const ENGLISH_TECH = `
A prepaid balance is only as honest as the moment at which it is checked. If two requests read the same balance and both decide that there is
enough, one of them is wrong, however fast the cache was. So the decision belongs to the database: a conditional update either reserves the
amount or reports that it cannot, and whatever happens afterwards (a timeout, a crash, a client that hangs up) can only release or settle what
was reserved. Idempotency keys, exponential back-off and circuit breakers are refinements; without that first step they polish an overdraft.`;

const MARKDOWN = `
## Установка

1. Склонируйте репозиторий и выполните \`npm install\`.
2. Запустите **\`npm start\`**; сервер слушает порт \`8080\`.

| параметр | тип | по умолчанию |
|---|---|---|
| \`PORT\` | число | 8080 |
| \`HOST\` | строка | 127.0.0.1 |

> Не публикуйте ключ! Подробнее — в [документации](https://example.com/docs/keys?lang=ru#rotate).
`;

const PYTHON = `
class RateLimiter:
    """Token bucket with monotonic time."""

    def __init__(self, capacity: int, refill_per_second: float) -> None:
        self._capacity = capacity
        self._tokens = float(capacity)
        self._updated_at = time.monotonic()

    def try_acquire(self, amount: int = 1) -> bool:
        now = time.monotonic()
        elapsed = now - self._updated_at
        self._tokens = min(self._capacity, self._tokens + elapsed * self._refill_per_second)
        if self._tokens < amount:
            return False  # caller should retry later
        self._tokens -= amount
        return True
`;

const SQL = `
SELECT a.account_id, sum(e.amount_nano) FILTER (WHERE e.kind = 'charge') AS charged_nano
  FROM ledger.entries e JOIN ledger.accounts a ON a.account_id = e.debit_account
 WHERE e.created_at >= date_trunc('month', now() AT TIME ZONE 'Europe/Moscow')
 GROUP BY a.account_id HAVING count(*) > 10 ORDER BY charged_nano DESC NULLS LAST LIMIT 50;
`;

/** Ordinary sentences of other languages: bounded, though not closely. */
const OTHER_LANGUAGES: Record<string, string> = {
  ukrainian:
    "Вчора ввечері біля старого мосту відкрили набережну, на яку мешканці чекали майже десять років, і дехто навіть заспівав.",
  kazakh:
    "Кеше кешке ескі көпірдің жанында қала тұрғындары он жылға жуық күткен жағалау ашылды, бірнеше адам ән де айтты.",
  german:
    "Gestern Abend wurde an der alten Brücke die Uferpromenade eröffnet, auf die die Bürger fast zehn Jahre lang gewartet hatten.",
  french:
    "Hier soir, près du vieux pont, on a inauguré la promenade que les habitants attendaient depuis près de dix ans déjà.",
  polish:
    "Wczoraj wieczorem przy starym moście otwarto bulwar, na który mieszkańcy czekali prawie dziesięć lat, a ktoś nawet zaśpiewał.",
  turkish:
    "Dün akşam eski köprünün yanında, şehir halkının neredeyse on yıldır beklediği sahil yolu açıldı ve bazıları şarkı söyledi.",
  vietnamese:
    "Tối qua, bên cây cầu cũ, người ta đã khánh thành bờ kè mà người dân chờ đợi gần mười năm nay.",
  chinese: "昨天晚上，老桥旁边的河滨步道终于开放了，市民们为此等待了将近十年，有人甚至唱起了歌。",
  japanese: "昨夜、古い橋のそばに、市民が十年近く待ち望んでいた川沿いの遊歩道がオープンしました。",
  korean:
    "어제저녁 오래된 다리 옆에 시민들이 거의 십 년 동안 기다려 온 강변 산책로가 문을 열었습니다.",
  arabic:
    "افتتح مساء أمس بجانب الجسر القديم الممشى الذي انتظره السكان ما يقرب من عشر سنوات وغنى بعضهم.",
  hebrew: "אתמול בערב נפתחה ליד הגשר הישן הטיילת שהתושבים חיכו לה כמעט עשר שנים.",
  hindi: "कल शाम पुराने पुल के पास वह तटबंध खोला गया जिसका शहर के लोग लगभग दस वर्षों से इंतज़ार कर रहे थे।",
  thai: "เมื่อคืนนี้ ทางเดินริมแม่น้ำข้างสะพานเก่าที่ชาวเมืองรอคอยมาเกือบสิบปีได้เปิดให้ใช้แล้ว",
  georgian:
    "გუშინ საღამოს ძველ ხიდთან გაიხსნა სანაპირო, რომელსაც ქალაქელები თითქმის ათი წელი ელოდნენ.",
  greek:
    "Χθες το βράδυ, δίπλα στην παλιά γέφυρα, εγκαινιάστηκε ο παραλιακός πεζόδρομος που περίμεναν σχεδόν δέκα χρόνια.",
};

/**
 * Ranges of code points to draw random texts from, and how long the words are; 0 is one unbroken
 * run.
 */
const RANDOM: Record<string, readonly [first: number, last: number, wordLength: number]> = {
  "random lower case": [0x61, 0x7a, 0],
  "random lower-case words": [0x61, 0x7a, 9],
  "random upper-case words": [0x41, 0x5a, 9],
  "random ASCII": [0x20, 0x7e, 0],
  "random signs": [0x21, 0x2f, 0],
  "random signs in words": [0x3a, 0x40, 5],
  "control characters": [0x01, 0x1f, 0],
  "random bytes as Latin-1": [0x00, 0xff, 0],
  "Latin extended": [0x100, 0x24f, 0],
  "combining marks": [0x300, 0x36f, 0],
  "random Greek": [0x3b1, 0x3c9, 9],
  "random Russian": [0x430, 0x44f, 0],
  "random Russian words": [0x430, 0x44f, 9],
  "random Russian upper case": [0x410, 0x42f, 9],
  "all Cyrillic": [0x400, 0x52f, 0],
  "random Hebrew": [0x5d0, 0x5ea, 9],
  "random Arabic": [0x627, 0x64a, 9],
  "random Devanagari": [0x905, 0x939, 0],
  "random Thai": [0xe01, 0xe2e, 0],
  "random Georgian": [0x10d0, 0x10f0, 0],
  "random Ethiopic": [0x1200, 0x137c, 0],
  "rare scripts": [0x1400, 0x1fff, 0],
  "symbols and arrows": [0x2000, 0x2bff, 0],
  "random kana": [0x3041, 0x30fe, 0],
  "rare Chinese": [0x3400, 0x4dbf, 0],
  "random Chinese": [0x4e00, 0x9fff, 0],
  "random Hangul": [0xac00, 0xd7a3, 0],
  "private use": [0xe000, 0xf8ff, 0],
  "full-width forms": [0xff01, 0xffee, 0],
  emoji: [0x1f300, 0x1f64f, 0],
  "rare emoji": [0x1f300, 0x1faff, 0],
  "rarest Chinese": [0x20000, 0x2a6df, 0],
};

/** A file of the protocol room. */
function readOwn(path: string): string {
  return readFileSync(new URL(`../../src/protocol/${path}`, import.meta.url), "utf8");
}

export function tokenCorpora(): Corpus[] {
  const random = seeded(20_261_121);
  const below = (limit: number) => Math.floor(random() * limit);
  const drawn = (count: number, draw: () => string, separator = "") =>
    Array.from({ length: count }, draw).join(separator);
  const bytes = Buffer.from(Array.from({ length: 4000 }, () => below(256)));
  const uuid = () =>
    drawn(32, () => below(16).toString(16)).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const ordinary: Record<string, string> = {
    "Russian news": RUSSIAN_NEWS,
    "Russian contract": RUSSIAN_LAW,
    "Russian talk": RUSSIAN_TALK,
    "Russian technical": RUSSIAN_TECH,
    "English story": ENGLISH_STORY,
    "English technical": ENGLISH_TECH,
    "English README": readOwn("README.md"),
    "Markdown, Russian": MARKDOWN,
    TypeScript: readOwn("openai/merge-delta.ts") + readOwn("json/scan-object.ts"),
    Python: PYTHON,
    SQL,
    JSON: JSON.stringify(
      {
        id: 7,
        tags: ["new", "red"],
        owner: { name: "Анна", active: true },
        notes: ENGLISH_STORY.slice(0, 200),
      },
      null,
      2,
    ),
  };
  const other: Record<string, string> = {
    ...OTHER_LANGUAGES,
    "Russian capitals": RUSSIAN_LAW.toUpperCase(),
    "English capitals": ENGLISH_STORY.toUpperCase(),
    "one letter": "я",
    "one space": " ",
    digits: drawn(3000, () => String(below(10))),
    numbers: drawn(600, () => String(below(10 ** (1 + below(8)))), " "),
    prices: drawn(600, () => (below(100_000) / 100).toFixed(2), ","),
    dates: drawn(200, () => new Date(below(2 ** 31) * 1000).toISOString(), "\n"),
    UUIDs: drawn(100, uuid, "\n"),
    base64: bytes.toString("base64"),
    "base64, URL form": bytes.toString("base64url"),
    hex: bytes.toString("hex"),
    "hex, capitals": bytes.toString("hex").toUpperCase(),
    "random bytes as UTF-8": bytes.toString("utf8"),
    "random letters and digits": drawn(
      600,
      () => drawn(1 + below(12), () => below(36).toString(36)),
      " ",
    ),
    "mixed case words": drawn(
      600,
      () =>
        drawn(1 + below(9), () =>
          below(2) === 0
            ? String.fromCharCode(65 + below(26))
            : String.fromCharCode(97 + below(26)),
        ),
      " ",
    ),
    spaces: " ".repeat(3000),
    newlines: "\n".repeat(3000),
    "mixed white space": drawn(3000, () => " \t\n\r".charAt(below(4))),
    "indented lines": drawn(300, () => `${" ".repeat(below(40))}x`, "\n"),
    "ruled lines": `${"-".repeat(400)}${"=".repeat(400)}`,
    "composed emoji": drawn(300, () => ["🇷🇺", "👨‍👩‍👧‍👦", "👍🏽", "❤️", "☺️", "1️⃣"][below(6)] ?? ""),
    "lone surrogates": drawn(600, () => ["a", "\ud800", "\udc00", "z"][below(4)] ?? ""),
    LaTeX:
      String.raw`$$\int_{0}^{\infty} \frac{x^{2}}{e^{x}-1}\,dx = \sum_{n=1}^{\infty} \frac{2}{n^{3}}$$ `.repeat(
        10,
      ),
    HTML: '<div class="card" data-id="42"><p>Hello, <b>world</b>!</p></div>\n'.repeat(10),
  };
  for (const [name, [first, last, wordLength]] of Object.entries(RANDOM)) {
    const letter = () => String.fromCodePoint(first + below(last - first + 1));
    other[name] =
      wordLength === 0
        ? drawn(2000, letter)
        : drawn(400, () => drawn(1 + below(wordLength), letter), " ");
  }
  return [
    ...Object.entries(ordinary).map(([name, text]) => ({ name, text, ordinary: true })),
    ...Object.entries(other).map(([name, text]) => ({ name, text, ordinary: false })),
  ];
}
