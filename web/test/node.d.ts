// SPDX-License-Identifier: BSD-3-Clause
// What the unit tests use of Node.

declare module "node:test" {
    export default function test(name: string, body: () => void | Promise<void>): void;
}

declare module "node:assert/strict" {
    interface Assert {
        equal(actual: unknown, expected: unknown, message?: string): void;
        deepEqual(actual: unknown, expected: unknown, message?: string): void;
        ok(value: unknown, message?: string): void;
        throws(body: () => unknown, expected?: RegExp): void;
    }
    const assert: Assert;
    export default assert;
}

declare module "node:zlib" {
    export function deflateSync(data: string): { toString(encoding: "base64"): string };
}
