/** The style of the public pages, by the panel's palette; it stands in each page. */

/** Everything but the palette. Sizes of letters as the panel has them, and a few larger ones. */
const SITE_STYLE = `
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--text);font:var(--type-body);-webkit-font-smoothing:antialiased;overflow-wrap:break-word}
h1,h2,h3,p,ul,ol,dl,dd,figure{margin:0;padding:0}ul,ol{list-style:none}
h1,h2{text-wrap:balance}
h1{font:640 1.75rem/2.125rem var(--font);letter-spacing:-.022em}
h2{font:640 1.375rem/1.75rem var(--font);letter-spacing:-.014em}
h3{font:var(--type-section)}
a{color:inherit;text-underline-offset:3px}
p a,dd a,li a.text{text-decoration:underline}
button,input,select{font:inherit;color:inherit}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:var(--radius-small)}
.wrap{max-width:1200px;margin:0 auto;padding-inline:40px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;padding:8px 12px;background:var(--surface-raised);z-index:2}
.quiet{color:var(--text-quiet)}.faint,.k{color:var(--text-faint)}.k{font-weight:400}.small{font:var(--type-small)}
.num{font-variant-numeric:tabular-nums;white-space:nowrap}
code,pre{font:var(--type-code)}p code,td code,dd code{padding:1px 4px;border-radius:4px;background:var(--surface-sunk);overflow-wrap:anywhere}
.row{display:flex;align-items:center;gap:12px;flex-wrap:wrap}.end{margin-inline-start:auto}
.head{display:flex;align-items:center;gap:24px;min-height:68px;flex-wrap:wrap}
.head nav{display:flex;gap:20px;flex-wrap:wrap}.head a{text-decoration:none;color:var(--text-quiet);font-weight:500;padding:10px 0}
.head a.btn{padding:0 14px;color:var(--accent-text)}.head a.plain{color:var(--text)}
.brand{display:flex;align-items:center;gap:9px;font:640 .9375rem/1.25rem var(--font)}.head a.brand{color:var(--text)}
.brand svg,.brand img{height:24px;width:auto;flex:none}
.btn{display:inline-flex;align-items:center;justify-content:center;min-height:var(--control);padding:0 14px;border:0;border-radius:var(--radius);background:var(--accent);color:var(--accent-text);font-weight:550;text-decoration:none;cursor:pointer}
.btn.large{min-height:var(--control-large);padding:0 20px;font-size:.9375rem}
.btn.line{background:var(--surface);color:var(--text);box-shadow:inset 0 0 0 1px var(--line-strong)}
.btn:hover{background:var(--accent-strong)}.btn.line:hover{background:var(--surface-sunk)}
main{display:grid;gap:80px;padding-block:44px 80px}main>*{min-width:0}
.page{display:grid;gap:36px;align-content:start}main.page{padding-top:28px}.page>*{min-width:0}h1+p{margin-top:6px}.back{margin-bottom:6px}.back a{color:var(--text-quiet)}
section>h2{margin-bottom:6px}section>h2+.table,section>h2+.facts{margin-top:14px}section>h2+p{margin-bottom:18px}
.hero{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,520px);gap:56px;align-items:center}
.hero h1{font:650 3.25rem/3.5625rem var(--font);letter-spacing:-.034em}.hero h1 span{display:block}
.lead{font-size:1.125rem;line-height:1.75rem;color:var(--text-quiet);margin:20px 0 28px;max-width:44ch}
.hero>div>.small,.hero figcaption{margin-top:16px}
.term{margin:0;padding:20px 22px;border-radius:16px;background:light-dark(oklch(0.23 0.014 var(--brand-h)),oklch(0.135 0.006 var(--brand-h)));color:oklch(0.93 0.004 var(--brand-h));overflow:auto}
.hero figcaption{text-align:end}.hero .term{padding-bottom:52px;margin-inline-end:22px}
.slip{position:relative;max-width:404px;margin:-30px 0 24px auto;padding:18px 22px 14px;background:var(--surface-raised);border-radius:10px 10px 0 0;filter:drop-shadow(0 10px 22px rgb(0 0 0/.14))}
.slip::after{content:"";position:absolute;inset:100% 0 auto;height:7px;background:radial-gradient(circle at 7px 7px,transparent 5px,var(--surface-raised) 5.5px) 0 0/14px 7px}
.slip .row{gap:4px 12px}
.slip .sum{font:var(--type-figure-xl);letter-spacing:-.022em;margin:6px 0 12px}
.tag{display:inline-block;padding:0 7px;border-radius:4px;background:var(--surface-sunk);color:var(--text-quiet);font:500 .75rem/1.125rem var(--font)}
.lines>div,.lines li{display:flex;align-items:baseline;gap:7px;line-height:1.5rem}
.lines>div::before{content:"";order:1;flex:1;min-width:12px;border-bottom:1.5px dotted var(--line-strong);transform:translateY(-4px)}
.lines dt,.lines dd{min-width:0}.lines dt span{white-space:nowrap}.lines dd{order:2;flex:none;white-space:nowrap;font-variant-numeric:tabular-nums}
.share{display:block;width:100%;height:10px;margin:14px 0 6px;border-radius:3px;background:repeating-linear-gradient(135deg,var(--line-strong) 0 2px,var(--surface-sunk) 2px 5px)}.share .part{fill:var(--accent)}.bar .part{fill:var(--line-strong)}li:first-child>.bar .part{fill:var(--accent)}
.steps{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:24px}.steps li{border-top:2px solid var(--line-strong);padding-top:14px}.steps li:nth-child(2){border-color:var(--accent)}.steps p{margin-top:6px;color:var(--text-quiet);max-width:38ch}
.docs{display:grid;grid-template-columns:212px minmax(0,1fr);gap:48px;align-items:start}.docs>*{min-width:0}.docs .page{gap:32px}
.docs-menu,.toc{font:var(--type-small)}.docs-menu>summary,.toc>summary{display:inline-flex;align-items:center;min-height:var(--control);padding:0 14px;border-radius:var(--radius);box-shadow:inset 0 0 0 1px var(--line-strong);font-weight:550}
.docs-menu p{padding:14px 10px 4px;color:var(--text-faint);font:var(--type-label)}.docs-menu nav>p:first-child{padding-top:0}.docs-menu a{display:block;padding:5px 10px;border-radius:var(--radius);color:var(--text-quiet);text-decoration:none}.docs-menu .in a{padding-inline-start:22px}.docs-menu a:hover{background:var(--hover)}
.docs-menu a[aria-current]{background:var(--accent-soft);color:var(--accent-strong);font-weight:550}
@supports selector(::details-content){@media(width>=860px){.docs-menu::details-content,.toc::details-content{content-visibility:visible}.docs-menu>summary,.toc>summary{display:none}}}
@media(width>=860px) and (height>=760px){.docs-menu:not(:has(.in)){position:sticky;top:16px}}
.toc ol{padding-inline-start:16px;border-inline-start:2px solid var(--line);columns:2 300px;column-gap:32px}.toc a{display:block;padding:3px 0;color:var(--text-quiet);text-decoration:none;break-inside:avoid}.toc a:hover,.turn a:hover{text-decoration:underline}
.turn{display:flex;justify-content:space-between;gap:24px;padding-top:20px;border-top:1px solid var(--line)}.turn a{text-decoration:none;font-weight:550}.turn .next{margin-inline-start:auto;text-align:end}
.points{list-style:disc;display:grid;gap:6px;padding-inline-start:20px}.docs [id]{scroll-margin-top:16px}.docs tbody th{min-width:11rem}.docs :is(td,tbody th){vertical-align:baseline}.docs th code{overflow-wrap:break-word}
.op{display:grid;gap:10px}.op>*{min-width:0}.docs :is(h2,h3) a{text-decoration:none}.docs :is(h2,h3) a:hover{text-decoration:underline}.op h3{margin-top:10px}.op>h2,.op h2+p{margin:0}.op>div[id]{display:grid;gap:10px}.op>div[id]>*{min-width:0}
.guide{display:grid;gap:10px;max-width:76ch}.guide h2,.guide h2+p{margin:0}.guide>p+*:not(p){margin-top:6px}.guide>*{min-width:0}
.prices{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:16px;align-items:start}.prices>p{grid-column:1/-1}.field{min-width:0}
.clients{border-radius:var(--radius-large);background:var(--surface);box-shadow:inset 0 0 0 1px var(--line)}details+details{border-top:1px solid var(--line)}
summary{padding:11px 18px;font-weight:550;cursor:pointer}summary:hover{background:var(--hover)}section>[data-key-note]:last-child{margin-top:12px}
details .sample{padding:0 18px 18px}
.sample{position:relative}.sample pre{margin:0;padding:14px 16px;border-radius:var(--radius);background:var(--surface-sunk);overflow:auto;white-space:pre}
.copy{position:absolute;inset-block-start:6px;inset-inline-end:6px}details .copy{inset-inline-end:24px}.btn.copy{min-height:var(--control-small);padding:0 10px;font:500 .8125rem/1.125rem var(--font)}
.table{border-radius:var(--radius-large);background:var(--surface);box-shadow:inset 0 0 0 1px var(--line);overflow-x:auto}
table{width:100%;border-collapse:collapse;font:var(--type-cell)}
caption{text-align:start;padding:12px 18px 4px;font:var(--type-section)}
th{font:var(--type-label);color:var(--text-faint);text-align:start;padding:9px 10px;border-bottom:1px solid var(--line);white-space:nowrap}
td,tbody th{padding:9px 10px;border-bottom:1px solid var(--line);vertical-align:middle}
tbody th{font:var(--type-cell);color:var(--text);white-space:normal}
tbody tr:last-child>*{border-bottom:0}th:first-child,td:first-child{padding-inline-start:18px}th:last-child,td:last-child{padding-inline-end:18px}
td.n,th.n{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}
tbody tr:hover>*{background:var(--hover)}
.name{font-weight:550;text-decoration:none}.name:hover{text-decoration:underline}
.id{display:block;color:var(--text-faint);font:400 .75rem/1rem var(--font-code);overflow-wrap:anywhere}
.table .unseen~thead th{padding-top:12px}.foot{padding:11px 18px;border-top:1px solid var(--line)}
.tools{display:flex;gap:12px;flex-wrap:wrap;align-items:end}
.field{display:grid;gap:4px;font:var(--type-small);color:var(--text-quiet)}
.field input{min-height:var(--control);padding:0 11px;border:0;border-radius:var(--radius);background:var(--surface);box-shadow:inset 0 0 0 1px var(--edge);font:var(--type-body);color:var(--text);min-width:0;width:100%}
.chips{display:flex;gap:8px;flex-wrap:wrap}
.chip{display:inline-flex;gap:6px;align-items:center;min-height:32px;padding:0 12px;border-radius:99px;box-shadow:inset 0 0 0 1px var(--line-strong);color:var(--text-quiet);text-decoration:none;font:500 .8125rem/1.125rem var(--font)}
.chip[aria-current]{background:var(--accent-soft);color:var(--accent-strong);box-shadow:inset 0 0 0 1px var(--accent)}
.calc{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.4fr);gap:40px;padding:22px 24px;border-radius:var(--radius-large);background:var(--surface);box-shadow:inset 0 0 0 1px var(--line)}
.calc form{display:grid;gap:12px;align-content:start}
.calc ol{display:grid;gap:12px;margin-top:12px}.calc li .row{justify-content:space-between;gap:4px 12px}
.bar{display:block;width:100%;height:8px;margin-top:4px}
.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:8px 24px}.facts dt{color:var(--text-quiet)}.facts+p{margin-top:12px}
.health{display:inline-flex;align-items:center;gap:7px}.health::before{content:"";width:8px;height:8px;border-radius:50%;background:var(--good-dot);flex:none}
.health.impaired::before{background:var(--warn-dot)}.health.down::before{background:var(--bad-dot)}.health.all{font:var(--type-section)}.health.down{color:var(--bad-text)}.health.impaired{color:var(--warn-text)}
.days{display:block;width:150px;height:18px}td.n .days{margin-inline-start:auto}.days .good{fill:var(--good-dot);opacity:.45}.days .weak{fill:var(--warn-dot)}.days .bad{fill:var(--bad-dot)}.days .none{fill:var(--line)}
.final{display:flex;align-items:center;gap:24px;flex-wrap:wrap;padding:30px 34px;border-radius:16px;background:var(--accent-soft)}
.note{padding:12px 16px;border-radius:var(--radius);background:var(--live-soft);color:var(--live-text)}
footer{border-top:1px solid var(--line)}
footer .wrap{display:flex;gap:32px 88px;padding-block:36px 48px}footer .about{flex:1;display:grid;gap:8px;align-content:start}footer h2{font:600 .8125rem/1.125rem var(--font);letter-spacing:0;margin-bottom:4px}
footer .group{display:grid;gap:4px;align-content:start}footer .group a{color:var(--text-quiet);text-decoration:none;padding:4px 0}footer a:hover{text-decoration:underline}
[hidden],html:not([data-member]) .member,html[data-member] .guest{display:none!important}
@media(width<860px){
.wrap{padding-inline:16px}main,main.page{gap:52px;padding-block:20px 56px}main.page{gap:32px}.head{gap:4px 16px;padding-block:8px}.head nav{order:3;width:100%;gap:18px}
.hero,.calc{grid-template-columns:minmax(0,1fr);gap:28px}.hero h1{font-size:2.375rem;line-height:2.625rem}.lead{font-size:1rem;line-height:1.5625rem;margin:14px 0 20px}
.hero figcaption{text-align:start}.hero .term{margin-inline-end:0}.slip{max-width:none;margin-inline:12px}.btn.copy{position:static;margin-top:8px}.steps{grid-template-columns:minmax(0,1fr)}.wide{display:none}.docs{grid-template-columns:minmax(0,1fr);gap:20px}.docs-menu a,.toc a{padding-block:11px}
.docs tbody th{min-width:0}
.stacked tr{display:flex;flex-wrap:wrap;gap:4px 10px;padding:12px 14px;border-bottom:1px solid var(--line)}.stacked tbody tr:last-child{border:0}.stacked thead{display:none}.stacked tbody tr>*{border:0;padding:0}.stacked td:not(.n){flex-basis:100%}.field input{min-height:44px;font-size:1rem}.btn,.btn.copy,.chip{min-height:44px}caption{padding-inline:14px}
footer .wrap{flex-wrap:wrap;gap:28px 40px}footer .about{flex-basis:100%}footer .group{flex:1;min-width:40%}.facts{grid-template-columns:minmax(0,1fr);gap:2px}.facts dd{margin-bottom:8px}
th,td,tbody th{padding-inline:8px}th:first-child,td:first-child{padding-inline-start:14px}th:last-child,td:last-child{padding-inline-end:14px}
}
@media print{.docs-menu,.turn,.head nav,.copy,footer,.tools{display:none}}
`;

/** Without what only its readers in the source need. */
export function pageStyle(tokens: string, tint: { hue: number; chroma: number } | null): string {
  const brand = tint === null ? "" : `:root{--brand-h:${tint.hue};--brand-c:${tint.chroma}}`;
  return `${packed(tokens)}${packed(SITE_STYLE)}${brand}`;
}

function packed(style: string): string {
  return style
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")
    .trim();
}
