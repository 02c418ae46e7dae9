// SPDX-License-Identifier: BSD-3-Clause
// The viewer: turns about the specimen with z upwards, comes nearer, moves sideways.

import { OrthographicCamera, PerspectiveCamera, Vector3 } from "three";

const fieldOfView = 28; // degrees
const degree = Math.PI / 180;

/** As in `twirl render`: azimuth from x towards y, elevation above the x-y plane. */
export const views: Record<string, [number, number]> = { iso: [-60, 25], x: [0, 0], y: [-90, 0], z: [-90, 90] };

export class Viewer {
    azimuth = views.iso![0];
    elevation = views.iso![1];
    zoom = 1;
    parallel = true;
    readonly target = new Vector3();
    private bound = 1;
    private readonly flat = new OrthographicCamera();
    private readonly deep = new PerspectiveCamera(fieldOfView);

    /** Half the height that is seen at the target. */
    halfHeight(aspect: number): number {
        return (1.02 * this.bound) / this.zoom / Math.min(1, aspect);
    }

    /** What is seen by default: everything within `bound` of the centre. */
    aim(centre: Vector3, bound: number): void {
        this.bound = bound;
        this.target.copy(centre);
    }

    look(view: string): void {
        const found = views[view];
        if (found) [this.azimuth, this.elevation] = found;
    }

    turn(right: number, up: number): void {
        this.azimuth = (this.azimuth - right) % 360;
        this.elevation = Math.max(-90, Math.min(this.elevation + up, 90));
    }

    /** In fractions of the height of the picture. */
    move(right: number, up: number, aspect: number): void {
        const { u, v } = this.axes(), size = 2 * this.halfHeight(aspect);
        this.target.addScaledVector(u, -right * size).addScaledVector(v, -up * size);
    }

    nearer(factor: number): void {
        this.zoom = Math.max(0.2, Math.min(this.zoom * factor, 60));
    }

    /** To the viewer, to the right, upwards. */
    axes(): { w: Vector3; u: Vector3; v: Vector3 } {
        const a = this.azimuth * degree, e = this.elevation * degree;
        const w = new Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
        const u = new Vector3(-Math.sin(a), Math.cos(a), 0);
        return { w, u, v: new Vector3().crossVectors(w, u) };
    }

    camera(aspect: number): OrthographicCamera | PerspectiveCamera {
        const { w, v } = this.axes(), half = this.halfHeight(aspect), reach = 3 * this.bound;
        const distance = this.parallel ? reach + this.bound : half / Math.tan((fieldOfView * degree) / 2);
        const camera = this.parallel ? this.flat : this.deep;
        camera.near = this.parallel ? 0.01 * this.bound : Math.max(0.01 * distance, distance - reach);
        camera.far = distance + reach + this.bound;
        if (camera instanceof OrthographicCamera) {
            camera.left = -half * aspect;
            camera.right = half * aspect;
            camera.top = half;
            camera.bottom = -half;
        } else camera.aspect = aspect;
        camera.position.copy(this.target).addScaledVector(w, distance);
        camera.up.copy(v);
        camera.lookAt(this.target);
        camera.updateProjectionMatrix();
        camera.updateMatrixWorld();
        return camera;
    }
}
