// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { reportParts } from './report-parts.ts';

const shown = (html: string): string => {
  const box = document.createElement('div');
  box.append(reportParts(html).body);
  return box.innerHTML;
};

it('keeps what a report is made of, as plain parts of the page', () => {
  expect(
    shown(
      '<body><main><section class="cause"><h2>Why</h2><svg viewBox="0 0 9 9" role="img"><path d="M0 0"></path></svg></section></main></body>',
    ),
  ).toBe(
    '<div><div class="cause"><h2>Why</h2><svg viewBox="0 0 9 9" role="img"><path d="M0 0"></path></svg></div></div>',
  );
});

it('lets nothing in that acts, loads or leads away', () => {
  const html = shown(
    `<body><p onclick="x()" style="color:red" id="a">one<script>two()</script></p><img src="x"><iframe src="x"></iframe>
     <a href="https://example.test">three</a><form action="x"><input></form><svg onload="x()"><a href="x"></a><use href="x"></use></svg></body>`,
  );
  expect(html.replaceAll(/\s+/g, ' ').trim()).toBe('<p>one</p> <svg></svg>');
});

it('says of the host what the file says of its root and body', () => {
  const { css } = reportParts(
    '<style>:root { color-scheme: light dark; --bg: #fff; } body { margin: 0; } .body { top: 0 } @media print { :root { color-scheme: light; } body { padding: 0; } }</style>',
  );
  expect(css).toBe(
    ':host {  --bg: #fff; } :host { margin: 0; } .body { top: 0 } @media print { :host {  } :host { padding: 0; } }',
  );
});
