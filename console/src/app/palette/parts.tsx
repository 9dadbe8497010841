import { useT } from '#/lib/i18n';
import { type Command, marked } from './commands';

export function Key({ children }: { readonly children: string }) {
  return (
    <kbd className="rounded-1 border border-line-2 bg-surface-2 px-1 font-sans text-meta text-ink-2">
      {children}
    </kbd>
  );
}

/** The keys of the palette, in words. */
export function Footer() {
  const t = useT();
  return (
    <footer className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-meta text-ink-3 max-sm:hidden">
      <span>
        <Key>↑</Key> <Key>↓</Key> {t('palette:move')}
      </span>
      <span>
        <Key>↵</Key> {t('palette:open')}
      </span>
      <span className="grow">
        <Key>Ctrl ↵</Key> {t('palette:new_tab')}
      </span>
      <span>
        <Key>&gt;</Key> {t('palette:group.actions')}
      </span>
      <span>
        <Key>@</Key> {t('palette:people')}
      </span>
      <span>
        <Key>/</Key> {t('palette:group.screens')}
      </span>
    </footer>
  );
}

/** One result. The combobox keeps the focus and moves by `aria-activedescendant`. */
export function Line({
  id,
  command,
  words,
  selected,
  onPoint,
  onOpen,
}: {
  readonly id: string;
  readonly command: Command;
  readonly words: string;
  readonly selected: boolean;
  readonly onPoint: () => void;
  readonly onOpen: (newTab: boolean) => void;
}) {
  const IconOf = command.icon;
  return (
    // The combobox keeps the focus and handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="option"
      aria-selected={selected}
      className={`flex min-h-8 cursor-pointer items-center gap-2.5 rounded-2 px-2 max-sm:min-h-11 ${selected ? 'bg-accent-soft-2' : ''}`}
      onMouseMove={onPoint}
      onClick={(event) => onOpen(event.ctrlKey || event.metaKey)}
    >
      <IconOf className={`flex-none ${selected ? 'text-accent' : 'text-ink-3'}`} aria-hidden />
      <span className="truncate">
        {marked(command.label, words).map(({ text, hit, at }) =>
          hit ? <b key={at}>{text}</b> : <span key={at}>{text}</span>,
        )}
      </span>
      {command.detail !== undefined && (
        <span className="min-w-0 truncate text-meta text-ink-2">{command.detail}</span>
      )}
      {selected && (
        <span className="ml-auto text-meta text-accent" aria-hidden>
          ↵
        </span>
      )}
    </div>
  );
}
