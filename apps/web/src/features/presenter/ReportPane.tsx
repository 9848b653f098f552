import { useQuery } from '@tanstack/react-query';
import { FileDown, FileText } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Button, Icon, QueryError, showToast, Skeleton } from '../../components/index.ts';
import type { TaskPlace } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { fileName, saveFile } from '../../lib/download.ts';
import { formatSize } from '../../lib/format.ts';
import { reportParts } from './report-parts.ts';

/** The report of a task as its file has it, secrets masked. */
export function ReportPane({ store, task }: TaskPlace) {
  const report = useQuery({
    queryKey: ['report', store, task],
    queryFn: async () => {
      const file = await api.exportTask({ store, task, format: 'html', reveal: false });
      return { file, html: await file.text() };
    },
    gcTime: 0,
  });
  const { data } = report;
  const save = (): void => {
    if (!data) return;
    const name = fileName(task, 'html');
    saveFile(data.file, name);
    showToast({ title: `${name} is in your downloads, ${formatSize(data.file.size)}.` });
  };
  return (
    <section className="report-pane" aria-label="Report" data-testid="report">
      <header className="report-head">
        <Icon of={FileText} size={16} />
        <h2>Report</h2>
        <span className="muted cut">{data && `1 file, ${formatSize(data.file.size)}, opens offline`}</span>
        <Button icon={FileDown} disabledReason={data ? undefined : "The report isn't ready yet."} onClick={save}>
          Save
        </Button>
      </header>
      <div className="report-scroll" role="region" aria-label="The report" tabIndex={0}>
        <QueryError query={report} title="The report could not be made." />
        {report.isPending && <Skeleton rows={8} />}
        {data && <Sheet html={data.html} />}
      </div>
    </section>
  );
}

/** Narrower than a page of its own, and on the page's ground. */
const FITTED = `:host { display: block; container-type: inline-size; margin: 0; max-width: none; padding: 20px; font-size: 13px; line-height: 19px; }
h1 { font-size: 19px; line-height: 26px; } .lede { font-size: 15px; line-height: 22px; } .lede code { font-size: 13.5px; }
.cause { padding: 4px 16px 12px; }
@container (max-width: 540px) { .facts { grid-template-columns: 1fr; } .facts > div + div { border-left: 0; border-top: 1px solid var(--line); } }`;

function Sheet({ html }: { readonly html: string }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { css, body } = reportParts(html);
    root.adoptedStyleSheets = [css, FITTED].map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
    root.replaceChildren(body);
  }, [html]);
  return <div ref={host} className="report-sheet" data-testid="report-sheet" />;
}
