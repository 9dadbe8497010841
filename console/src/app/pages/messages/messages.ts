import { http } from '#/lib/http/client';

/** A message in one language. A form is null if messages of this type never have it. */
export interface MessageForms {
  readonly site: { readonly subject: string; readonly html: string } | null;
  readonly mail: { readonly subject: string; readonly html: string; readonly text: string } | null;
  readonly chat: string | null;
  /** The JSON that a webhook gets. */
  readonly webhook: string | null;
}

/** A declared message with one set of example facts. */
export interface ExampleMessage {
  readonly message_type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly audience: string;
  /** Counts the examples of a type. */
  readonly number: number;
  readonly languages: Readonly<Record<string, MessageForms>>;
}

export const LANGUAGES = ['en', 'zh-hans'] as const;
export const FORMS = ['site', 'mail', 'text', 'chat', 'webhook'] as const;

export type Language = (typeof LANGUAGES)[number];
export type Form = (typeof FORMS)[number];

/** Only the server of `make dev` has this route. */
export function fetchMessages(): Promise<readonly ExampleMessage[]> {
  return http.get<readonly ExampleMessage[]>('development/messages/', { quiet: true });
}

export function readableJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}
