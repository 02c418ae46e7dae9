// SPDX-License-Identifier: BSD-3-Clause
// The resolution in a PNG file, so that it has the right width on a page.

let table: Uint32Array | null = null;

export function crc32(bytes: Uint8Array): number {
    table ??= Uint32Array.from({ length: 256 }, (_, n) => {
        for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
        return n;
    });
    let crc = 0xffffffff;
    for (const byte of bytes) crc = table[(crc ^ byte) & 255]! ^ (crc >>> 8);
    return (crc ^ 0xffffffff) >>> 0;
}

const afterHeader = 33; // signature and the chunk IHDR

/** With a chunk pHYs, in pixels per metre. */
export function withResolution(png: Uint8Array<ArrayBuffer>, dpi: number): Uint8Array<ArrayBuffer> {
    const chunk = new Uint8Array(21), view = new DataView(chunk.buffer);
    const perMetre = Math.round(dpi / 0.0254);
    view.setUint32(0, 9);
    chunk.set([0x70, 0x48, 0x59, 0x73], 4); // pHYs
    view.setUint32(8, perMetre);
    view.setUint32(12, perMetre);
    chunk[16] = 1; // metres
    view.setUint32(17, crc32(chunk.subarray(4, 17)));
    const out = new Uint8Array(png.length + chunk.length);
    out.set(png.subarray(0, afterHeader));
    out.set(chunk, afterHeader);
    out.set(png.subarray(afterHeader), afterHeader + chunk.length);
    return out;
}
