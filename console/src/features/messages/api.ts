import { create } from 'zustand';
import { http } from '#/lib/http/client';
import { queryClient } from '#/lib/query';

/** A message from the system or an administrator to this person. `message` is HTML from the server. */
export interface SiteMessage {
  readonly id: string;
  readonly subject: string;
  readonly message: string;
  readonly has_read: boolean;
  readonly date_created: string;
  /** Name of the sender; empty for system messages. */
  readonly sender_display?: string | null;
}

export interface MessagePage {
  readonly count: number;
  readonly results: readonly SiteMessage[];
}

/** Messages per page (specification, section 9). */
export const PAGE_SIZE = 15;
/** Maximum number of ids in one "mark all" request. */
const MARK_AT_ONCE = 100;
const LIST = 'notifications/site-message/';

export const messagesKey = ['site-messages'] as const;

/** One page of messages, newest first. Without `hasRead`: read and unread. */
export function fetchMessages(offset: number, hasRead?: boolean): Promise<MessagePage> {
  return http.get<MessagePage>(LIST, {
    query: { offset, limit: PAGE_SIZE, has_read: hasRead },
    quiet: true,
  });
}

interface UnreadState {
  /** null until the first answer. */
  readonly count: number | null;
}

export const useUnread = create<UnreadState>(() => ({ count: null }));

/** Stores the unread count from the server or a list. If the count changed, open lists are reloaded. */
export function noteUnread(count: number): void {
  const before = useUnread.getState().count;
  useUnread.setState({ count });
  if (before !== null && before !== count) void queryClient.invalidateQueries({ queryKey: messagesKey });
}

async function afterMarking(): Promise<void> {
  const { count } = await fetchMessages(0, false);
  useUnread.setState({ count });
  await queryClient.invalidateQueries({ queryKey: messagesKey });
}

export async function markRead(ids: readonly string[]): Promise<void> {
  await http.patch(`${LIST}mark-as-read/`, { ids });
  await afterMarking();
}

/** Marks all unread messages as read, including those of other pages. */
export async function markAllRead(): Promise<void> {
  const { results, count } = await http.get<MessagePage>(LIST, {
    query: { offset: 0, limit: MARK_AT_ONCE, has_read: false },
  });
  if (results.length > 0) {
    await http.patch(`${LIST}mark-as-read/`, { ids: results.map((message) => message.id) });
    if (count > results.length) return markAllRead();
  }
  await afterMarking();
}

/** What a super administrator writes. `text` is plain text. */
interface OwnMessage {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly toAll: boolean;
  readonly subject: string;
  readonly text: string;
}

/** The API stores HTML: what looks like a tag stays text, and an empty line starts a paragraph. */
export function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const paragraphs = escaped.trim().split(/\n\s*\n/);
  return paragraphs.map((lines) => `<p>${lines.replaceAll('\n', '<br>')}</p>`).join('');
}

export async function sendMessage({ users, groups, toAll, subject, text }: OwnMessage): Promise<void> {
  const message = text.trim() === '' ? '' : htmlOf(text);
  const body = { user_ids: users, group_ids: groups, is_broadcast: toAll, subject, message };
  await http.post(`${LIST}send/`, body, { quiet: true });
}
