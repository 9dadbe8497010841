import { useRouter, useRouterState } from '@tanstack/react-router';
import { LoaderCircle, Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Dialog as AriaDialog, Modal } from 'react-aria-components';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { splitTarget } from '#/ui/link';
import { ModalLayer } from '#/ui/modal-layer';
import { type Command, type GroupId, readInput } from './commands';
import { Footer, Key, Line } from './parts';
import { useCommands } from './use-commands';
import { sorted } from './sorted';
import { useObjects } from './use-objects';

const GROUPS: readonly GroupId[] = ['objects', 'recent', 'screens', 'actions', 'organizations'];
/** Lines that Page up and Page down move by. */
const PAGE = 8;

/** Key handler: arrows and Page keys move through the lines, Enter opens the active one (with Ctrl or ⌘ in a new tab). */
function lineKeys(
  lines: readonly Command[],
  index: number,
  moveTo: (index: number) => void,
  open: (command: Command, newTab: boolean) => void,
): (event: KeyboardEvent) => void {
  const last = lines.length - 1;
  const chosen = lines[index];
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: index === last ? 0 : index + 1,
    ArrowUp: index === 0 ? last : index - 1,
    PageDown: Math.min(last, index + PAGE),
    PageUp: Math.max(0, index - PAGE),
  };
  return (event) => {
    const next = targets[event.key];
    if (next !== undefined && lines.length > 0) {
      event.preventDefault();
      moveTo(next);
    } else if (event.key === 'Enter' && chosen && !event.nativeEvent.isComposing) {
      event.preventDefault();
      open(chosen, event.ctrlKey || event.metaKey);
    }
  };
}

function Group({
  id,
  group,
  children,
}: {
  readonly id: string;
  readonly group: GroupId;
  readonly children: ReactNode;
}) {
  const t = useT();
  // i18n: palette:group.*
  return (
    <div role="group" aria-labelledby={id}>
      <div id={id} className="px-2 pt-2 pb-1 text-meta text-ink-3">
        {t(`palette:group.${group}`)}
      </div>
      {children}
    </div>
  );
}

interface FieldProps {
  /** Beginning of the ids of the list and its lines. */
  readonly base: string;
  readonly text: string;
  readonly busy: boolean;
  readonly activeId: string | undefined;
  readonly hasResults: boolean;
  readonly onType: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function Field({ base, text, busy, activeId, hasResults, onType, onKeyDown }: FieldProps) {
  const t = useT();
  const { organization } = useSession();
  return (
    <div className="flex items-center gap-2.5 border-b border-line px-4">
      <Search className="flex-none text-ink-3" aria-hidden />
      <input
        // The palette opens for typing, so the field takes the focus.
        autoFocus
        type="text"
        role="combobox"
        aria-label={t('palette:title')}
        aria-expanded={hasResults}
        aria-controls={`${base}-list`}
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        autoComplete="off"
        spellCheck={false}
        className="min-h-12 min-w-0 grow bg-transparent text-lead outline-none"
        placeholder={t('palette:placeholder')}
        value={text}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {busy && <LoaderCircle className="pt-spin text-ink-3" aria-hidden />}
      <span className="max-w-36 truncate rounded-1 bg-surface-3 px-1.5 text-meta text-ink-2 max-sm:hidden">
        {organization.name}
      </span>
      <Key>Esc</Key>
    </div>
  );
}

/** One field that finds screens, actions, organizations and objects by name: a combobox with a grouped list. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const router = useRouter();
  const here = useRouterState({ select: (state) => state.location.pathname });
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const { scope, words } = readInput(text);
  const commands = useCommands(here);
  const objects = useObjects(commands.sources, words, scope);

  const commandsByGroup = sorted(commands, objects.found, scope, words);
  const groups = GROUPS.filter((group) => commandsByGroup[group].length > 0);
  const flat = groups.flatMap((group) => commandsByGroup[group]);
  const index = Math.min(at, Math.max(0, flat.length - 1));
  const chosen = flat[index];

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [index, text]);

  const open = (command: Command, newTab: boolean) => {
    onClose();
    if (command.to === undefined) command.run?.();
    else if (newTab) window.open(`/ui${command.to}`, '_blank', 'noreferrer');
    else void router.navigate(splitTarget(command.to));
  };
  const onKeyDown = lineKeys(flat, index, setAt, open);
  const resultText = flat.length === 0 ? t('palette:none') : t('palette:found', { count: flat.length });
  const announcement = objects.busy ? t('palette:searching') : resultText;

  return (
    <ModalLayer onClose={onClose} className="grid items-start justify-items-center p-4 pt-[12vh] max-sm:p-2">
      <Modal className="w-full max-w-[640px]">
        <AriaDialog
          aria-label={t('palette:title')}
          className="flex max-h-[72vh] flex-col rounded-3 border border-line-2 bg-surface-1 shadow-dialog outline-none"
        >
          <Field
            base={base}
            text={text}
            busy={objects.busy}
            activeId={chosen ? `${base}-${index}` : undefined}
            hasResults={flat.length > 0}
            onType={(typed) => {
              setText(typed);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          <p role="status" className="sr-only">
            {announcement}
          </p>
          <div
            ref={list}
            id={`${base}-list`}
            role="listbox"
            aria-label={t('palette:results')}
            className="min-h-0 grow overflow-y-auto p-1.5"
          >
            {groups.map((group) => (
              <Group key={group} id={`${base}-${group}`} group={group}>
                {commandsByGroup[group].map((command) => {
                  const place = flat.indexOf(command);
                  return (
                    <Line
                      key={command.id}
                      id={`${base}-${place}`}
                      command={command}
                      words={words}
                      selected={place === index}
                      onPoint={() => setAt(place)}
                      onOpen={(newTab) => open(command, newTab)}
                    />
                  );
                })}
              </Group>
            ))}
          </div>
          {(objects.failed || (flat.length === 0 && !objects.busy)) && (
            <p className="px-4 py-6 text-center text-ink-2">
              {t(objects.failed ? 'palette:failed' : 'palette:none')}
            </p>
          )}
          <Footer />
        </AriaDialog>
      </Modal>
    </ModalLayer>
  );
}
