import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { LinkButton } from './link';
import { Note } from './note';
import { usePageTitle } from './page-title';
import { visible } from './visible-text';

/** Titles are truncated at this length (specification, section 9). */
export const TITLE_MAX = 80;

export function cutTitle(title: string): string {
  return title.length > TITLE_MAX ? `${title.slice(0, TITLE_MAX)}…` : title;
}

export interface PageHeaderProps {
  readonly title: string;
  /** The start of the title that names the object; the rest (an address, a user name) is muted. */
  readonly lead?: string;
  /** Beside the title: count, state. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  /** A green message between the heading and the content. */
  readonly help?: ReactNode;
  /** Target of the back button; absent on lists. */
  readonly back?: { readonly to: string; readonly label: string };
}

/** Heading with a slot on its right. The only h1 of the page. */
export function PageHeader({ title: rawTitle, lead: leading, aside, actions, help, back }: PageHeaderProps) {
  const t = useT();
  const heading = useRef<HTMLHeadingElement>(null);
  // Names of hosts, files and commands are foreign text: their hidden characters are made visible.
  const title = visible(rawTitle);
  const lead = leading === undefined ? undefined : visible(leading);
  const cut = cutTitle(title);
  const end = lead !== undefined && cut.startsWith(`${lead} `) ? lead.length + 1 : cut.length;
  usePageTitle(cut);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-2">
        {back && <LinkButton to={back.to} icon={ArrowLeft} label={t('ui:back_to', { name: back.label })} />}
        <h1
          ref={heading}
          tabIndex={-1}
          className={`min-w-0 text-title [overflow-wrap:anywhere] ${back ? 'max-w-[calc(100%-var(--control-h)-12px)]' : ''}`}
          title={title === cut ? undefined : title}
        >
          <bdi>
            {cut.slice(0, end)}
            {end < cut.length && <span className="font-normal text-ink-2">{cut.slice(end)}</span>}
          </bdi>
        </h1>
        {aside}
        {actions !== undefined && (
          <div className="flex grow flex-wrap items-center justify-end gap-2 max-sm:w-full max-sm:justify-start">
            {actions}
          </div>
        )}
      </header>
      {help !== undefined && (
        <div className="mt-2">
          <Note tone="ok">{help}</Note>
        </div>
      )}
    </>
  );
}
