import { Link } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { marked, type Token, type Tokens } from 'marked';
import { type ReactNode, useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { guideTarget } from './guides';

/** Anchor of a heading, by the same rule as GitHub: links in the guides use these anchors. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

interface Place {
  readonly section: string;
}

function Anchor({ token, section }: Place & { readonly token: Tokens.Link }) {
  const words = <Inline tokens={token.tokens} section={section} />;
  if (/^https?:/.test(token.href)) {
    return (
      <a className="pt-link underline" href={token.href} target="_blank" rel="noreferrer">
        {words}
      </a>
    );
  }
  const target = guideTarget(token.href, section);
  // The link points to a file of the repository that the console does not contain.
  if (target === null) return words;
  return (
    <Link to={target.to || '.'} hash={target.hash} className="pt-link underline">
      {words}
    </Link>
  );
}

function inline(token: Token, section: string): ReactNode {
  switch (token.type) {
    case 'strong':
      return (
        <strong className="font-semibold">
          <Inline tokens={token.tokens} section={section} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} section={section} />
        </em>
      );
    case 'codespan':
      return (
        <code className="rounded-1 bg-surface-2 px-1 font-mono text-meta">
          {(token as Tokens.Codespan).text}
        </code>
      );
    case 'link':
      return <Anchor token={token as Tokens.Link} section={section} />;
    case 'br':
      return <br />;
    default:
      return 'tokens' in token && token.tokens ? (
        <Inline tokens={token.tokens} section={section} />
      ) : (
        // Raw HTML is rendered as plain text.
        ('text' in token && String(token['text'])) || token.raw
      );
  }
}

function Inline({ tokens, section }: Place & { readonly tokens: readonly Token[] | undefined }) {
  return tokens?.map((token, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the text never changes
    <span key={index}>{inline(token, section)}</span>
  ));
}

function CodeBlock({ text }: { readonly text: string }) {
  const t = useT();
  return (
    <div className="flex items-start gap-1 rounded-2 bg-surface-2 py-1 pr-1 pl-3">
      <pre className="min-w-0 grow py-1 font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text}
      </pre>
      <IconButton
        kind="text"
        size="sm"
        icon={Copy}
        label={t('ui:copy')}
        onClick={() => void copyText(text)}
      />
    </div>
  );
}

function TableBlock({ token, section }: Place & { readonly token: Tokens.Table }) {
  const cellClass = 'border-b border-line px-2.5 py-1.5 text-left align-top';
  return (
    // A table may be wider than a phone; tabIndex makes it scrollable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="overflow-x-auto rounded-2 border border-line" tabIndex={0} role="group">
      <table className="w-full min-w-[420px] border-collapse [&_code]:whitespace-nowrap">
        <thead className="bg-surface-2 text-meta text-ink-2">
          <tr>
            {token.header.map((cell, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- the text never changes
              <th key={index} className={`${cellClass} font-medium`} scope="col">
                <Inline tokens={cell.tokens} section={section} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- as above
            <tr key={at}>
              {row.map((cell, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- as above
                <td key={index} className={cellClass}>
                  <Inline tokens={cell.tokens} section={section} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ListBlock({ token, section }: Place & { readonly token: Tokens.List }) {
  const items = token.items.map((item, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the text never changes
    <li key={index}>
      <Blocks tokens={item.tokens} section={section} />
    </li>
  ));
  return token.ordered ? (
    <ol className="grid list-decimal grid-cols-[minmax(0,1fr)] gap-1 pl-5">{items}</ol>
  ) : (
    <ul className="grid list-disc grid-cols-[minmax(0,1fr)] gap-1 pl-5">{items}</ul>
  );
}

function block(token: Token, section: string): ReactNode {
  switch (token.type) {
    case 'heading': {
      const { depth, text, tokens } = token as Tokens.Heading;
      const words = <Inline tokens={tokens} section={section} />;
      return depth <= 2 ? (
        <h2 id={anchorOf(text)} className="mt-4 scroll-mt-14 text-title">
          {words}
        </h2>
      ) : (
        <h3 id={anchorOf(text)} className="mt-2 scroll-mt-14 text-lead">
          {words}
        </h3>
      );
    }
    case 'code':
      return <CodeBlock text={(token as Tokens.Code).text} />;
    case 'table':
      return <TableBlock token={token as Tokens.Table} section={section} />;
    case 'list':
      return <ListBlock token={token as Tokens.List} section={section} />;
    case 'blockquote':
      return (
        <blockquote className="border-l-2 border-line-2 pl-3 text-ink-2">
          <Blocks tokens={(token as Tokens.Blockquote).tokens} section={section} />
        </blockquote>
      );
    case 'hr':
      return <hr className="border-line" />;
    case 'space':
      return null;
    case 'html':
      // Comments mark generated parts of a page; other HTML is shown as text.
      return /^<!--[^>]*-->\s*$/.test(token.raw) ? null : inline(token, section);
    case 'paragraph':
      return (
        <p>
          <Inline tokens={token.tokens} section={section} />
        </p>
      );
    default:
      return inline(token, section);
  }
}

function Blocks({ tokens, section }: Place & { readonly tokens: readonly Token[] }) {
  return tokens.map((token, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the text never changes
    <div key={index} className="contents">
      {block(token, section)}
    </div>
  ));
}

/** The first heading of a text; it becomes the title of the page. */
export function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

/** Renders a guide from its parsed tokens directly to React elements, so that no text in it can become HTML. */
export function Markdown({ text, section }: Place & { readonly text: string }) {
  const tokens = useMemo(
    () => marked.lexer(text).filter((token) => !(token.type === 'heading' && token['depth'] === 1)),
    [text],
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 [overflow-wrap:anywhere]">
      <Blocks tokens={tokens} section={section} />
    </div>
  );
}
