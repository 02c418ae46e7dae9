// SPDX-License-Identifier: BSD-3-Clause
// Base64, gzip and arrays of numbers.

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return await new Response(stream).text();
}

/** The text of an element with BASE64(GZIP(JSON)); line breaks in it do not matter. */
export async function unpack(text: string): Promise<unknown> {
    return JSON.parse(await gunzip(bytesOf(text.replace(/\s+/g, "")))) as unknown;
}

// The data are little-endian, as every machine that runs a browser today.

function cut(base64: string, count: number, size: number, what: string): ArrayBuffer {
    const bytes = bytesOf(base64);
    if (bytes.length < count * size)
        throw new Error(`${what}: ${bytes.length} bytes, but ${count} numbers need ${count * size}`);
    return bytes.buffer;
}

export const f32 = (base64: string, count: number, what: string) =>
    new Float32Array(cut(base64, count, 4, what), 0, count);
export const u32 = (base64: string, count: number, what: string) =>
    new Uint32Array(cut(base64, count, 4, what), 0, count);
export const u16 = (base64: string, count: number, what: string) =>
    new Uint16Array(cut(base64, count, 2, what), 0, count);
export const u8 = (base64: string, count: number, what: string) =>
    new Uint8Array(cut(base64, count, 1, what), 0, count);
export const i8 = (base64: string, count: number, what: string) =>
    new Int8Array(cut(base64, count, 1, what), 0, count);
