import { expect, it } from 'vitest';
import { withoutFacades } from './facades.mjs';

const without = (files) => Object.fromEntries(withoutFacades(new Map(Object.entries(files))));

it('leads who asks for a chunk that only passes things on to what is behind it', () => {
  const files = {
    'cli.js': 'const{addShow:t,b}=await import(`./chunks/show.js`);',
    'chunks/main.js': 'const n=(await import(`./show.js`)).addShow;',
    'chunks/show.js': 'export{t as addShow,b}from"./all.js";\n',
    'chunks/all.js': 'const t=1,b=2;export{t,b};',
  };
  expect(without(files)).toEqual({
    'cli.js': 'const{addShow:t,b}=await import(`./chunks/all.js`).then(e=>({addShow:e.t,b:e.b}));',
    'chunks/main.js': 'const n=(await import(`./all.js`).then(e=>({addShow:e.t,b:e.b}))).addShow;',
    'chunks/all.js': files['chunks/all.js'],
  });
});

it.each([
  [
    'that is needed before anything runs',
    'chunks/show.js',
    'import{addShow}from"./chunks/show.js";import(`./chunks/show.js`)',
  ],
  ['that a program names', 'lib/show.js', 'import(`./lib/show.js`)'],
])('leaves one %s', (_, path, code) => {
  const files = { 'cli.js': code, [path]: 'export{t as addShow}from"./all.js";', 'chunks/all.js': 'export{t};' };
  expect(without(files)).toEqual(files);
});

it('leaves one that runs something', () => {
  const files = { 'cli.js': 'import(`./chunks/a.js`)', 'chunks/a.js': 'export{t as a}from"./all.js";import"./b.js";' };
  expect(without(files)).toEqual(files);
});
