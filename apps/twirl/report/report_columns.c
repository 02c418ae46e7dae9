/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_columns.h"

#include <stddef.h>

#include "common/history_table.h"

typedef struct column {
    const char *unit, *text;
} column;

static const column columns[TW_HISTORY_COLUMN_COUNT] = {
    [TW_HISTORY_step] = {"", "step"},
    [TW_HISTORY_time] = {"s", "time"},
    [TW_HISTORY_stage] = {"", "stage"},
    [TW_HISTORY_stage_step] = {"", "step of the stage"},
    [TW_HISTORY_strain] = {"", "strain of the path"},
    [TW_HISTORY_stress] = {"Pa", "stress of the path"},
    [TW_HISTORY_strain_xx] = {"", "strain xx"},
    [TW_HISTORY_strain_yy] = {"", "strain yy"},
    [TW_HISTORY_strain_zz] = {"", "strain zz"},
    [TW_HISTORY_strain_yz] = {"", "shear strain yz"},
    [TW_HISTORY_strain_xz] = {"", "shear strain xz"},
    [TW_HISTORY_strain_xy] = {"", "shear strain xy"},
    [TW_HISTORY_strain_volume] = {"", "volumetric strain"},
    [TW_HISTORY_stress_xx] = {"Pa", "stress xx"},
    [TW_HISTORY_stress_yy] = {"Pa", "stress yy"},
    [TW_HISTORY_stress_zz] = {"Pa", "stress zz"},
    [TW_HISTORY_stress_xy] = {"Pa", "shear stress xy"},
    [TW_HISTORY_stress_xz] = {"Pa", "shear stress xz"},
    [TW_HISTORY_stress_yz] = {"Pa", "shear stress yz"},
    [TW_HISTORY_stress_yx] = {"Pa", "shear stress yx"},
    [TW_HISTORY_stress_zx] = {"Pa", "shear stress zx"},
    [TW_HISTORY_stress_zy] = {"Pa", "shear stress zy"},
    [TW_HISTORY_p] = {"Pa", "mean stress p"},
    [TW_HISTORY_q] = {"Pa", "deviator stress q"},
    [TW_HISTORY_stress_ratio] = {"", "stress ratio q/p"},
    [TW_HISTORY_volume] = {"m\xC2\xB3", "volume of the cell"},
    [TW_HISTORY_porosity] = {"", "porosity"},
    [TW_HISTORY_void_ratio] = {"", "void ratio"},
    [TW_HISTORY_coordination] = {"", "coordination number"},
    [TW_HISTORY_coordination_mechanical] = {"", "coordination number without rattlers"},
    [TW_HISTORY_sliding_fraction] = {"", "fraction of contacts that slide"},
    [TW_HISTORY_unbalanced] = {"", "unbalanced force over contact force"},
    [TW_HISTORY_inertial_number] = {"", "inertial number"},
    [TW_HISTORY_deviation] = {"", "deviation of controlled stresses over p"},
    [TW_HISTORY_kinetic] = {"J", "kinetic energy"},
    [TW_HISTORY_rotational] = {"J", "rotational energy"},
    [TW_HISTORY_normal] = {"J", "stored in normal springs"},
    [TW_HISTORY_tangential] = {"J", "stored in tangential springs"},
    [TW_HISTORY_friction] = {"J", "dissipated by sliding"},
    [TW_HISTORY_contact_damping] = {"J", "dissipated by damping of contacts"},
    [TW_HISTORY_body_damping] = {"J", "dissipated by damping of bodies"},
    [TW_HISTORY_cell] = {"J", "work on the cell"},
    [TW_HISTORY_walls] = {"J", "work of walls"},
    [TW_HISTORY_gravity] = {"J", "work of gravity"},
    [TW_HISTORY_start] = {"J", "energy at the start, and changes that were not work"},
    [TW_HISTORY_residual] = {"J", "residual of the energy balance"},
    [TW_HISTORY_fabric_xx] = {"", "fabric xx"},
    [TW_HISTORY_fabric_yy] = {"", "fabric yy"},
    [TW_HISTORY_fabric_zz] = {"", "fabric zz"},
    [TW_HISTORY_fabric_yz] = {"", "fabric yz"},
    [TW_HISTORY_fabric_xz] = {"", "fabric xz"},
    [TW_HISTORY_fabric_xy] = {"", "fabric xy"},
    [TW_HISTORY_fabric_deviator] = {"", "deviator of the fabric"},
    [TW_HISTORY_rattlers] = {"", "number of rattlers"},
    [TW_HISTORY_q_signed] = {"Pa", "deviator stress along the path"},
    [TW_HISTORY_ru] = {"", "pore-pressure ratio"},
    [TW_HISTORY_cycle] = {"", "cycle"},
    [TW_HISTORY_stored_rolling] = {"J", "stored by rolling resistance"},
    [TW_HISTORY_stored_twisting] = {"J", "stored by twisting resistance"},
    [TW_HISTORY_micro_slip] = {"J", "dissipated by micro-slip"},
    [TW_HISTORY_rolling] = {"J", "dissipated by rolling"},
    [TW_HISTORY_twisting] = {"J", "dissipated by twisting"},
    [TW_HISTORY_check] = {"", "check sum of the row"},
};

void tw_report_columns_add(tw_text_buffer *out)
{
    tw_text_buffer_add(out, "[");
    for (size_t k = 0; k < TW_HISTORY_COLUMN_COUNT; k++) {
        const column *c = &columns[k];
        tw_text_buffer_add(out, "%s{\"name\": \"%s\", \"unit\": \"%s\", \"text\": \"%s\"}",
                           k > 0 ? ", " : "", tw_history_table_names[k], c->unit ? c->unit : "",
                           c->text ? c->text : tw_history_table_names[k]);
    }
    tw_text_buffer_add(out, "]");
}
