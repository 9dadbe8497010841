import { ArrowDown, ArrowUp, Columns2, FolderOpen, Rows2, Search, X } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import {
  LiveTerminal,
  type LiveTerminalEvents,
  type LiveTerminalHandle,
} from '#/islands/terminal/LiveTerminal';
import { connectionToken } from '#/domain/connecting/api';
import { EndNotice } from '#/domain/connecting/EndNotice';
import { NoticeBar } from '#/domain/connecting/NoticeBar';
import { PromptForm } from '#/domain/connecting/PromptForm';
import { stateKey, statusTone } from '#/domain/connecting/state';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { IconButton } from '#/ui/button';
import type { Icon } from '#/ui/icon';
import { TextInput } from '#/ui/field';
import { LinkButton } from '#/ui/link';
import { Status } from '#/ui/status';
import {
  closePane,
  focusPane,
  reconnectPane,
  splitFrom,
  updateActions,
  updatePane,
  useWorkspace,
  type Pane,
} from './workspace';

/** The bits of upload and download among the actions of a session. */
const TRANSFERS = 6;

/** What the session tells, written into the pane. */
function usePaneEvents(id: string, terminal: RefObject<LiveTerminalHandle | null>): LiveTerminalEvents {
  return useMemo<LiveTerminalEvents>(
    () => ({
      status: (status, detail, via = '') =>
        updatePane(id, { status, detail, via, ...(status === 'prompting' ? {} : { prompt: null }) }),
      opened: (session) => {
        updatePane(id, { session, startedAt: Date.now() });
        terminal.current?.focus();
      },
      watching: () => undefined,
      prompt: (prompt) => updatePane(id, { prompt }),
      notice: (_code, message, actions) => {
        updatePane(id, { notice: message });
        if (actions !== null) updateActions(id, actions);
      },
      ended: (end) => updatePane(id, { end, prompt: null, notice: null, endedAt: Date.now() }),
      pasting: (pasting) => updatePane(id, { pasting }),
      latency: (latencyMs) => updatePane(id, { latencyMs: Math.round(latencyMs) }),
    }),
    [id, terminal],
  );
}

function PaneHeader({
  pane,
  title,
  isMarked,
  onSearch,
}: {
  readonly pane: Pane;
  readonly title: string;
  readonly isMarked: boolean;
  readonly onSearch: () => void;
}) {
  const t = useT();
  const { id } = pane;
  const buttons: readonly (readonly [Icon, string, () => void])[] = [
    [Search, t('connect:search'), onSearch],
    [Columns2, t('connect:split_right'), () => splitFrom(id, 'columns')],
    [Rows2, t('connect:split_down'), () => splitFrom(id, 'rows')],
    [X, t('connect:close_pane', { title }), () => closePane(id)],
  ];
  return (
    <header
      className={`flex min-h-8 items-center gap-1 px-2 ${isMarked ? 'bg-accent-soft' : 'bg-surface-1'}`}
    >
      <h2 className="min-w-0 grow truncate text-body font-medium">
        <Status tone={statusTone(pane)}>{title}</Status>
        <span className="sr-only">{t(stateKey(pane), { via: pane.via })}</span>
      </h2>
      {pane.session !== null && (pane.session.actions & TRANSFERS) !== 0 && (
        <LinkButton
          to={paths.files(pane.target.assetId, pane.target.systemUser.id)}
          kind="text"
          size="sm"
          icon={FolderOpen}
          label={t('connect:files', { asset: pane.target.assetName })}
          newTab
        />
      )}
      {buttons.map(([icon, label, onClick]) => (
        <IconButton key={label} icon={icon} kind="text" size="sm" label={label} onClick={onClick} />
      ))}
    </header>
  );
}

export function PaneView({
  pane,
  isFocused,
  isAlone,
}: {
  readonly pane: Pane;
  readonly isFocused: boolean;
  readonly isAlone: boolean;
}) {
  const t = useT();
  const terminal = useRef<LiveTerminalHandle>(null);
  const [searching, setSearching] = useState(false);
  const { id, target, attempt } = pane;
  const isMarked = isFocused && !isAlone;
  const title = `${target.systemUser.username || target.systemUser.name} @ ${target.assetName}`;

  const events = usePaneEvents(id, terminal);

  const leaveSearch = (): void => {
    setSearching(false);
    terminal.current?.clearSearch();
    terminal.current?.focus();
  };

  return (
    <section
      aria-label={title}
      data-terminal-exit=""
      tabIndex={-1}
      className={`flex h-full flex-col overflow-hidden rounded-2 border bg-term-bg ${isMarked ? 'border-accent' : 'border-line'}`}
      onFocusCapture={() => focusPane(id)}
      onKeyDownCapture={(event) => {
        if (event.ctrlKey && event.shiftKey && event.code === 'KeyF') {
          event.preventDefault();
          setSearching(true);
        }
      }}
    >
      <PaneHeader pane={pane} title={title} isMarked={isMarked} onSearch={() => setSearching(true)} />
      {searching && (
        <SearchBar
          onSearch={(text, backwards) =>
            backwards ? terminal.current?.findPrevious(text) : terminal.current?.findNext(text)
          }
          onClose={leaveSearch}
        />
      )}
      <NoticeBar text={pane.notice} onPutAway={() => updatePane(id, { notice: null })} />
      <div className="relative min-h-0 grow p-1.5">
        {/* Each attempt is a new session with a new token. */}
        <PaneTerminal
          key={attempt}
          pane={pane}
          title={title}
          events={events}
          hasFocus={isFocused && !searching}
          ref={terminal}
        />
        {pane.prompt !== null && (
          <PromptForm
            key={pane.prompt.id}
            prompt={pane.prompt}
            onAnswer={(value) => terminal.current?.answer(pane.prompt?.id ?? 0, value)}
          />
        )}
        {pane.status === 'reconnecting' && (
          <p
            role="status"
            className="absolute top-2 right-2 rounded-2 border border-warn-line bg-warn-soft px-2 py-1 text-warn"
          >
            {t('connecting:reconnecting')}
          </p>
        )}
      </div>
      {(pane.end !== null || pane.refusal !== null) && (
        <EndNotice
          attempt={pane}
          assetId={target.assetId}
          onAgain={() => reconnectPane(id)}
          onClose={() => closePane(id)}
        />
      )}
    </section>
  );
}

function PaneTerminal({
  pane,
  title,
  events,
  hasFocus,
  ref,
}: {
  readonly pane: Pane;
  readonly title: string;
  readonly events: LiveTerminalEvents;
  readonly hasFocus: boolean;
  readonly ref: RefObject<LiveTerminalHandle | null>;
}) {
  const t = useT();
  const { fontSize, screenReader } = useWorkspace((state) => state.preferences);
  const { id, target, token } = pane;
  const isOpen = pane.session !== null;

  useEffect(() => {
    let isCurrent = true;
    const ask = async (): Promise<void> => {
      try {
        const granted = await connectionToken(target.assetId, target.systemUser.id);
        if (isCurrent) updatePane(id, { token: granted });
      } catch (error) {
        if (isCurrent) updatePane(id, { refusal: explain(error), status: 'ended' });
      }
    };
    void ask();
    return () => {
      isCurrent = false;
    };
  }, [id, target.assetId, target.systemUser.id]);

  useEffect(() => {
    if (hasFocus && isOpen) ref.current?.focus();
  }, [hasFocus, isOpen, ref]);

  if (token === null) return null;
  return (
    <LiveTerminal
      ref={ref}
      path={token.ws_path}
      token={token.token}
      mode="open"
      fontSize={fontSize}
      screenReader={screenReader}
      label={t('connect:terminal_label', { title })}
      events={events}
    />
  );
}

function SearchBar({
  onSearch,
  onClose,
}: {
  readonly onSearch: (text: string, backwards: boolean) => boolean | undefined;
  readonly onClose: () => void;
}) {
  const t = useT();
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  const find = (value: string, backwards: boolean): void => {
    setMissing(value !== '' && onSearch(value, backwards) === false);
  };
  return (
    // Escape closes the bar from any of its controls.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      role="search"
      className="flex items-center gap-1 border-b border-line bg-surface-1 px-2 py-1"
      onSubmit={(event) => {
        event.preventDefault();
        find(text, false);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
        if (event.key === 'Enter' && event.shiftKey) {
          event.preventDefault();
          find(text, true);
        }
      }}
    >
      <TextInput
        aria-label={t('connect:search')}
        placeholder={t('connect:search')}
        value={text}
        className="max-w-64"
        // The person opened the bar to type into its field.
        autoFocus
        onChange={(event) => {
          setText(event.target.value);
          find(event.target.value, false);
        }}
      />
      <span role="status" className="min-w-16 text-meta text-ink-3">
        {isMissing ? t('connect:not_found') : ''}
      </span>
      <IconButton
        icon={ArrowUp}
        kind="text"
        size="sm"
        label={t('connect:previous')}
        onClick={() => find(text, true)}
      />
      <IconButton
        icon={ArrowDown}
        kind="text"
        size="sm"
        label={t('connect:next')}
        onClick={() => find(text, false)}
      />
      <IconButton icon={X} kind="text" size="sm" label={t('connect:close_search')} onClick={onClose} />
    </form>
  );
}
