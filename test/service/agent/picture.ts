/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { deflateSync } from 'node:zlib';
import type { OpenedPage } from './browse';

const WIDTH = 320;
const HEIGHT = 240;

function crc32(bytes: Buffer): number {
	let crc = ~0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc >>> 0;
}

function chunk(type: string, content: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
	const edge = Buffer.alloc(8);
	edge.writeUInt32BE(content.length, 0);
	edge.writeUInt32BE(crc32(named), 4);
	return Buffer.concat([edge.subarray(0, 4), named, edge.subarray(4)]);
}

/** A picture of a page of the shop, as a PNG in base64: a card for each offer, with bars for its name, price and rating. */
export function pictureOf({ offers }: OpenedPage): string {
	const pixels = Buffer.alloc(WIDTH * HEIGHT, 255);
	const bar = (grey: number, left: number, top: number, width: number, height: number) => {
		for (let y = top; y < top + height; y++) pixels.fill(grey, y * WIDTH + left, y * WIDTH + left + width);
	};
	bar(60, 12, 10, 120, 12);
	offers.forEach(({ name, price, rating }, index) => {
		const [left, top] = [12 + (index % 2) * 152, 32 + Math.floor(index / 2) * 50];
		bar(235, left, top, 144, 44);
		bar(80, left + 8, top + 8, Math.min(128, name.length * 5), 6);
		bar(130, left + 8, top + 20, Math.min(128, Math.round(10 + Math.log2((price ?? 0) + 1) * 10)), 6);
		bar(190, left + 8, top + 32, Math.round(rating * 20), 5);
	});
	const rows = Array.from({ length: HEIGHT }, (_, y) => [
		...[Buffer.of(0), pixels.subarray(y * WIDTH, (y + 1) * WIDTH)],
	]).flat();
	const head = Buffer.alloc(13);
	head.writeUInt32BE(WIDTH, 0);
	head.writeUInt32BE(HEIGHT, 4);
	head[8] = 8; // eight bits for each pixel, grey
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		chunk('IHDR', head),
		chunk('IDAT', deflateSync(Buffer.concat(rows))),
		chunk('IEND', Buffer.alloc(0)),
	]).toString('base64');
}
