import { http } from '#/lib/http/client';
import { type Choice, fetchMetadata, type Page } from '#/resource/api';

const WEBHOOKS = 'notifications/webhooks/';
const DELIVERIES = 'notifications/webhook-deliveries/';

/** An endpoint of another system. `secret` is a mask, except in the answers that make one. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly message_types: readonly string[];
  readonly audit_categories: readonly string[];
  readonly is_active: boolean;
  readonly off_reason: string;
  readonly secret: string;
  readonly former_until: string | null;
}

export type WebhookValues = Pick<
  Webhook,
  'name' | 'address' | 'message_types' | 'audit_categories' | 'is_active'
>;

/** What an endpoint can get. */
export interface Offered {
  readonly messages: readonly Choice[];
  readonly categories: readonly Choice[];
}

export interface Webhooks {
  readonly rows: readonly Webhook[];
  readonly offered: Offered;
}

export async function fetchWebhooks(): Promise<Webhooks> {
  const [rows, metadata] = await Promise.all([
    http.get<readonly Webhook[]>(WEBHOOKS, { quiet: true }),
    fetchMetadata(WEBHOOKS),
  ]);
  const fields = metadata.actions.POST ?? {};
  return {
    rows,
    offered: {
      messages: fields['message_types']?.child?.choices ?? [],
      categories: fields['audit_categories']?.child?.choices ?? [],
    },
  };
}

/** Stores a new endpoint (`id` null) or changes one. */
export function saveWebhook(id: string | null, values: WebhookValues): Promise<Webhook> {
  return id === null
    ? http.post<Webhook>(WEBHOOKS, values, { quiet: true })
    : http.patch<Webhook>(`${WEBHOOKS}${id}/`, values, { quiet: true });
}

export function deleteWebhook(id: string): Promise<unknown> {
  return http.delete(`${WEBHOOKS}${id}/`, { quiet: true });
}

export function newSecret(id: string): Promise<Webhook> {
  return http.post<Webhook>(`${WEBHOOKS}${id}/secret/`, {}, { quiet: true });
}

/** Sends a test message to an address, which need not be saved. Returns the answer of the receiver. */
export async function testWebhook(id: string | null, address: string): Promise<string> {
  const body = id === null ? { address } : { id, address };
  return (await http.post<{ msg: string }>(`${WEBHOOKS}testing/`, body, { quiet: true })).msg;
}

export type DeliveryState = 'waiting' | 'accepted' | 'failed';

export interface WebhookDelivery {
  readonly id: string;
  readonly kind_display: string;
  readonly webhook_display: string;
  readonly state: DeliveryState;
  readonly state_display: string;
  readonly tries: number;
  readonly reason: string;
  readonly next_try: string;
  readonly date_updated: string;
}

/** The newest deliveries in this state; empty: in any. */
export function fetchDeliveries(state: DeliveryState | '', limit: number): Promise<Page<WebhookDelivery>> {
  return http.get<Page<WebhookDelivery>>(DELIVERIES, {
    query: { ...(state === '' ? {} : { state }), limit, offset: 0 },
    quiet: true,
  });
}

export function retryDelivery(id: string): Promise<unknown> {
  return http.post(`${DELIVERIES}${id}/retry/`, {}, { quiet: true });
}
