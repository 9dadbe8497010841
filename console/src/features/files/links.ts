import { connectionToken, type SessionTarget } from '#/domain/connecting/api';
import { type ConnectionListener, LiveConnection } from '#/islands/terminal/connection';
import { explain } from '#/lib/http/catalogue';
import { FilesApi } from './files-api';
import { allTransfers } from './transfers/store';
import { isUnfinished } from './transfers/transfer';
import { UploadQueue } from './transfers/queue';
import {
  changePane,
  EMPTY_PANE,
  changeSession,
  focusPane,
  forgetSession,
  isOver,
  newSession,
  otherSide,
  putSession,
  reload,
  reloadSession,
  sessionOf,
  setPreferences,
  type Side,
  SIDES,
  useWorkspace,
} from './workspace';

/** The websockets of the open sessions, by session. */
const links = new Map<string, LiveConnection>();
let made = 0;

/** The operations of a session; null while it is not open. */
export function apiOf(sessionId: string | null): FilesApi | null {
  const session = sessionOf(sessionId);
  return session && session.base !== '' && !isOver(session) ? new FilesApi(session.base) : null;
}

export const uploads = new UploadQueue({
  portOf: apiOf,
  onSettled: (sessionId, folder) => {
    for (const side of SIDES) {
      const pane = useWorkspace.getState().panes[side];
      if (pane.sessionId === sessionId && pane.shown === folder) reload(side);
    }
    closeUnused();
  },
});

const nothing = (): void => undefined;

function listenerOf(id: string, filesPath: string): ConnectionListener {
  return {
    output: (_data, drawn) => drawn(),
    screen: nothing,
    resized: nothing,
    opened: nothing,
    watching: nothing,
    latency: nothing,
    pasting: nothing,
    status: (status, detail, via = '') =>
      changeSession(id, { status, detail, via, ...(status === 'prompting' ? {} : { prompt: null }) }),
    filesOpened: (opened) => {
      changeSession(id, { opened, startedAt: Date.now(), base: `${filesPath}${opened.session_id}/` });
      uploads.resumeSession(id);
    },
    prompt: (prompt) => changeSession(id, { prompt }),
    notice: (code, notice, actions) => {
      const opened = sessionOf(id)?.opened;
      changeSession(id, { notice, ...(opened && actions !== null && { opened: { ...opened, actions } }) });
      // A locked session refuses its folders, an unlocked one shows them again.
      if (code === 'lock') reloadSession(id);
    },
    ended: (end) => changeSession(id, { end, prompt: null, notice: null, endedAt: Date.now() }),
  };
}

async function connect(id: string, target: SessionTarget): Promise<void> {
  const session = newSession(id, target);
  putSession(session);
  try {
    const token = await connectionToken(target.assetId, target.systemUser.id, true);
    if (sessionOf(id) === undefined) return;
    const link = new LiveConnection({
      path: token.ws_path,
      first: { type: 'open_files', token: token.token },
      listener: listenerOf(id, token.files_path ?? ''),
    });
    links.set(id, link);
    link.connect();
  } catch (error) {
    changeSession(id, { refusal: explain(error), status: 'ended' });
  }
}

/** The pane in which the next asset opens: an empty one, so that no session is replaced while there is room. */
export function paneForNext(): Side {
  const { focused, panes, preferences } = useWorkspace.getState();
  if (!preferences.two) return 'left';
  const other = otherSide(focused);
  return panes[focused].sessionId !== null && panes[other].sessionId === null ? other : focused;
}

/** Shows an asset in a pane. The other pane's session serves both if it is that of the same account. */
export function openInPane(side: Side, target: SessionTarget): void {
  const { sessions } = useWorkspace.getState();
  const same = Object.values(sessions).find(
    (session) =>
      !isOver(session) &&
      session.target.assetId === target.assetId &&
      session.target.systemUser.id === target.systemUser.id,
  );
  made += same ? 0 : 1;
  const id = same?.id ?? `session${made}`;
  changePane(side, { ...EMPTY_PANE, sessionId: id });
  focusPane(side);
  if (!same) void connect(id, target);
  closeUnused();
}

/** Opens a session again that has ended; its panes keep their folders, its uploads continue. */
export function openAgain(id: string): void {
  const session = sessionOf(id);
  if (!session) return;
  links.get(id)?.dispose();
  void connect(id, session.target);
}

export function closePane(side: Side): void {
  changePane(side, EMPTY_PANE);
  closeUnused();
}

/** Shows the pane with the keyboard alone, or two panes. */
export function showPanes(two: boolean): void {
  const { panes, focused } = useWorkspace.getState();
  setPreferences({ two });
  if (two) return;
  changePane('left', panes[focused]);
  changePane('right', EMPTY_PANE);
  focusPane('left');
  closeUnused();
}

export function answerPrompt(id: string, promptId: number, value: string): void {
  links.get(id)?.answer(promptId, value);
}

function close(id: string): void {
  links.get(id)?.close();
  links.delete(id);
  forgetSession(id);
}

/** Ends the sessions that no pane shows and no upload needs. */
export function closeUnused(): void {
  const { panes, sessions } = useWorkspace.getState();
  const used = new Set([
    ...SIDES.map((side) => panes[side].sessionId),
    ...allTransfers().flatMap((transfer) => (isUnfinished(transfer) ? [transfer.sessionId] : [])),
  ]);
  for (const id of Object.keys(sessions)) if (!used.has(id)) close(id);
}

/** The page is left: its sessions end. */
export function closeAll(): void {
  uploads.stopAll();
  for (const side of SIDES) changePane(side, EMPTY_PANE);
  for (const id of Object.keys(useWorkspace.getState().sessions)) close(id);
}
