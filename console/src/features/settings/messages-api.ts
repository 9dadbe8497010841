import { http } from '#/lib/http/client';
import type { Page } from '#/resource/api';

const SUBSCRIPTIONS = 'notifications/system-msg-subscription/';
const DELIVERIES = 'notifications/deliveries/';

/** A delivery method that works now. */
export interface Backend {
  readonly name: string;
  readonly name_display: string;
}

export interface Receiver {
  readonly id: string;
  readonly name: string;
}

/** Who gets one kind of message, and by what. */
export interface Subscription {
  readonly message_type: string;
  readonly message_type_label: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly receive_backends: readonly string[];
  readonly receivers: readonly Receiver[];
}

export interface SubscriptionCategory {
  readonly category: string;
  readonly category_label: string;
  readonly children: readonly Subscription[];
}

export interface Subscriptions {
  readonly backends: readonly Backend[];
  readonly categories: readonly SubscriptionCategory[];
}

export async function fetchSubscriptions(): Promise<Subscriptions> {
  const [backends, categories] = await Promise.all([
    http.get<readonly Backend[]>('notifications/backends/', { quiet: true }),
    http.get<readonly SubscriptionCategory[]>(SUBSCRIPTIONS, { quiet: true }),
  ]);
  return { backends, categories };
}

export function saveSubscription(
  messageType: string,
  changes: Partial<Pick<Subscription, 'users' | 'groups' | 'receive_backends'>>,
): Promise<Subscription> {
  return http.patch<Subscription>(`${SUBSCRIPTIONS}${messageType}/`, changes, { quiet: true });
}

/** A message that could not be delivered outside of Postern. */
export interface FailedDelivery {
  readonly id: string;
  readonly subject: string;
  readonly user_display: string;
  readonly channel_display: string;
  readonly address: string;
  readonly reason: string;
  readonly tries: number;
  readonly date_updated: string;
}

export function fetchFailedDeliveries(limit: number): Promise<Page<FailedDelivery>> {
  return http.get<Page<FailedDelivery>>(DELIVERIES, {
    query: { state: 'failed', limit, offset: 0 },
    quiet: true,
  });
}

export function retryDelivery(id: string): Promise<unknown> {
  return http.post(`${DELIVERIES}${id}/retry/`, {}, { quiet: true });
}
