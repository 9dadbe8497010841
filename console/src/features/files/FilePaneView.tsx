import { X } from 'lucide-react';
import { useState } from 'react';
import { EndNotice } from '#/domain/connecting/EndNotice';
import { NoticeBar } from '#/domain/connecting/NoticeBar';
import { PromptForm } from '#/domain/connecting/PromptForm';
import { stateKey, statusTone } from '#/domain/connecting/state';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { Status } from '#/ui/status';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import { answerPrompt, closePane, openAgain, uploads } from './links';
import { FolderList } from './FolderList';
import type { PaneDialog } from './pane-commands';
import { type PaneModel, usePaneModel } from './pane-model';
import { PaneDialogs } from './dialogs/PaneDialogs';
import { PaneFooter } from './PaneFooter';
import { PaneTools } from './PaneTools';
import { PathBar } from './PathBar';
import type { LocalItem } from './transfers/queue';
import { useDrop } from './use-drop';
import { changeSession, type FileSession, focusPane, isOver, type Side } from './workspace';

export function titleOf({ target }: FileSession): string {
  const { name, username } = target.systemUser;
  return visible(`${username || name} @ ${target.assetName}`);
}

function PaneHeader({
  session,
  side,
  isMarked,
}: {
  readonly session: FileSession;
  readonly side: Side;
  readonly isMarked: boolean;
}) {
  const t = useT();
  const title = titleOf(session);
  return (
    <header
      className={`flex min-h-8 flex-none items-center gap-1 px-2 ${isMarked ? 'bg-accent-soft' : 'bg-surface-1'}`}
    >
      <h2 className="min-w-0 grow truncate text-body font-medium">
        <Status tone={statusTone(session)}>{title}</Status>
        <span className="sr-only">{t(stateKey(session), { via: session.via })}</span>
      </h2>
      <IconButton
        icon={X}
        kind="text"
        size="sm"
        label={t('files:close_pane', { title })}
        onClick={() => closePane(side)}
      />
    </header>
  );
}

/** Adds files of this computer to the queue, or says why that is not possible. */
function useUpload(pane: PaneModel): (items: readonly LocalItem[]) => void {
  const t = useT();
  const { session, path, noUpload } = pane;
  return (items) => {
    if (noUpload !== undefined) toast({ tone: 'error', text: noUpload });
    else if (items.length === 0) toast({ tone: 'info', text: t('files:upload.nothing') });
    else uploads.add({ id: session.id, host: session.target.assetName }, path, items);
  };
}

/** The files of one host. */
export function FilePaneView({
  side,
  session,
  isMarked,
}: {
  readonly side: Side;
  readonly session: FileSession;
  readonly isMarked: boolean;
}) {
  const t = useT();
  const pane = usePaneModel(side, session);
  const [dialog, setDialog] = useState<PaneDialog | null>(null);
  const upload = useUpload(pane);
  const drop = useDrop((items) => {
    items.then(upload, () => toast({ tone: 'error', text: t('files:upload.unreadable') }));
  });
  const { id, prompt, status } = session;
  return (
    <section
      aria-label={`${t(side === 'left' ? 'files:left' : 'files:right')}: ${titleOf(session)}`}
      style={{ flex: '1 1 0' }}
      className={`relative flex min-h-0 min-w-0 flex-col overflow-hidden rounded-3 border bg-surface-1 ${isMarked ? 'border-accent' : 'border-line'}`}
      onFocusCapture={() => focusPane(side)}
      {...drop.handlers}
    >
      <PaneHeader session={session} side={side} isMarked={isMarked} />
      <NoticeBar text={session.notice} onPutAway={() => changeSession(id, { notice: null })} />
      {session.opened !== null && (
        <>
          <PathBar pane={pane} />
          <PaneTools pane={pane} onDialog={setDialog} onItems={upload} />
        </>
      )}
      {/* A question of the host covers the list, not the button that closes the pane. */}
      <div className="relative flex min-h-0 grow flex-col">
        <FolderList pane={pane} onDialog={setDialog} />
        {prompt !== null && (
          <PromptForm
            key={prompt.id}
            prompt={prompt}
            onAnswer={(value) => answerPrompt(id, prompt.id, value)}
          />
        )}
      </div>
      {status === 'reconnecting' && (
        <p role="status" className="border-t border-warn-line bg-warn-soft px-3 py-1 text-warn">
          {t('connecting:reconnecting')}
        </p>
      )}
      {session.opened !== null && <PaneFooter pane={pane} />}
      {isOver(session) && (
        <EndNotice
          attempt={session}
          assetId={session.target.assetId}
          onAgain={() => openAgain(id)}
          onClose={() => closePane(side)}
        />
      )}
      {drop.isOver && (
        <div className="pointer-events-none absolute inset-0 grid place-items-center bg-overlay p-4">
          <p className="rounded-3 border border-accent bg-surface-1 p-4 text-lead">
            {pane.noUpload ?? t('files:upload.drop', { title: titleOf(session) })}
          </p>
        </div>
      )}
      {dialog && <PaneDialogs pane={pane} dialog={dialog} onClose={() => setDialog(null)} />}
    </section>
  );
}
