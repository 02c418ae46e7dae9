// SPDX-License-Identifier: BSD-3-Clause
// Base64, zlib and arrays of numbers.

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return await new Response(stream).text();
}

/** The text of an element with BASE64(ZLIB(JSON)); line breaks in it do not matter. */
export async function unpack(text: string): Promise<unknown> {
    return JSON.parse(await inflate(bytesOf(text.replace(/\s+/g, "")))) as unknown;
}

/** Reads so many numbers of a type; the data are little-endian, as every machine that runs a browser today. */
const reader = <T>(type: { new (bytes: ArrayBuffer, offset: number, count: number): T; BYTES_PER_ELEMENT: number }) => (base64: string, count: number, what: string): T => {
    const bytes = bytesOf(base64), need = count * type.BYTES_PER_ELEMENT;
    if (bytes.length < need) throw new Error(`${what}: ${bytes.length} bytes, but ${count} numbers need ${need}`);
    return new type(bytes.buffer, 0, count);
};

export const f32 = reader(Float32Array), u32 = reader(Uint32Array), u8 = reader(Uint8Array), i8 = reader(Int8Array);
