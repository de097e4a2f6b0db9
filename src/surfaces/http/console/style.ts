/** The style sheet of the console, for light and dark; contrasts are looked at by axe in the browser tests. */
export const CONSOLE_CSS = `
:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--quiet:#525a64;--line:#c9d0d8;--link:#0b57d0;--good:#136c2e;--bad:#b3261e;--busy:#7a4d00;--soft:#f1f4f8;font:15px/1.5 system-ui,sans-serif}
@media (prefers-color-scheme:dark){:root{--back:#14171b;--text:#e8ebef;--quiet:#a9b2bd;--line:#3a424c;--link:#8ab4f8;--good:#7ddb95;--bad:#ffa49b;--busy:#f4c168;--soft:#1e2329}}
body{margin:0;background:var(--back);color:var(--text)}
a{color:var(--link)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;background:var(--back);padding:.5rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 2rem;justify-content:space-between;align-items:center;padding:.5rem 1.5rem;border-bottom:1px solid var(--line)}
nav ul{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1.25rem;list-style:none;margin:0;padding:0}
nav .name{font-weight:700}
nav a{display:inline-block;padding:.25rem 0}
nav a[aria-current]{font-weight:700;text-decoration-thickness:3px}
.who{display:flex;gap:.75rem;align-items:center;color:var(--quiet);overflow-wrap:anywhere}
main{padding:1rem 1.5rem 4rem;max-width:90rem}
main:focus{outline:0}
h1{font-size:1.4rem;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin-top:2rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.wide{overflow-x:auto}
table{border-collapse:collapse;min-width:100%}
caption{text-align:left;color:var(--quiet);padding:.25rem 0}
th,td{text-align:left;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td{overflow-wrap:break-word;max-width:32rem}
.number{text-align:right;font-variant-numeric:tabular-nums}
dl div{display:flex;gap:1rem;padding:.25rem 0;border-bottom:1px solid var(--line)}
dt{flex:0 0 9rem;color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere;min-width:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);padding:.75rem;border-radius:.4rem;margin:0}
form.filter{margin-bottom:1rem;display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;background:var(--soft);padding:.75rem;border-radius:.4rem}
form.filter label{display:flex;flex-direction:column;font-size:.85rem;color:var(--quiet)}
input,select,button{font:inherit;color:inherit;background:var(--back);border:1px solid var(--quiet);border-radius:.35rem;padding:.35rem .6rem;box-sizing:border-box;height:2.5rem}
button{cursor:pointer;font-weight:600}
.actions{display:flex;flex-wrap:wrap;gap:1rem;align-items:start;margin:1rem 0}
.ask summary{cursor:pointer;font-weight:600;padding:.35rem .6rem;border:1px solid var(--quiet);border-radius:.35rem}
.note{border-left:4px solid var(--link);padding:.5rem .75rem;background:var(--soft)}
.trouble{border-left:4px solid var(--bad);padding:.5rem .75rem;background:var(--soft)}
.state{font-weight:600;white-space:nowrap}
.state::before{content:"○ "}
.state.success{color:var(--good)}.state.success::before{content:"✓ "}
.state.failure{color:var(--bad)}.state.failure::before{content:"✗ "}
.state.running{color:var(--busy)}.state.running::before{content:"▶ "}
svg{display:block;max-width:100%;height:auto;background:var(--soft);border-radius:.4rem}
svg text{fill:var(--text);font:12px system-ui,sans-serif}
svg .quiet{fill:var(--quiet)}
svg .bar{fill:var(--good)}svg .bar.failure{fill:var(--bad)}svg .bar.voided{opacity:.45}
svg .box{fill:var(--back);stroke:var(--good);stroke-width:2}svg .box.failure{stroke:var(--bad)}svg .box.voided{stroke-dasharray:5 4}
svg .edge{stroke:var(--quiet);stroke-width:1.5;fill:none}
`;
