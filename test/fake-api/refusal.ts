/** A refusal in the API's own form: status, type and message. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly type: string;
  readonly details: { error_code: string } | undefined;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    type: string,
    message: string,
    more: { errorCode?: string; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.type = type;
    this.details = more.errorCode === undefined ? undefined : { error_code: more.errorCode };
    this.headers = more.headers ?? {};
  }

  body(requestId: string): object {
    const { type, message, details } = this;
    return {
      type: "error",
      error: { type, message, ...(details && { details }) },
      request_id: requestId,
    };
  }
}

/** With status 400. */
export const invalid = (message: string, errorCode?: string): Refusal =>
  new Refusal(400, "invalid_request_error", message, errorCode === undefined ? {} : { errorCode });
