/** Examples in pages of the documentation, unchanged. */
export interface Example {
  readonly heading: string;
  readonly code: string;
}

/** @example examplesOf(text, 'js').find(({ heading }) => heading === 'A plain loop')?.code */
export function examplesOf(text: string, language: 'js' | 'ts' | 'sh'): Example[] {
  return text.split(/^#+ /m).flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'));
    return [...blocks].map(([, code = '']) => ({ heading, code }));
  });
}

/** Lines that do something. */
export const linesOf = (code: string): string[] =>
  code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//'));
