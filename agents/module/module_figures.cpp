// SPDX-License-Identifier: Apache-2.0
#include "agents/module/module_figures.h"

#include "backend/base/version.h"

namespace divisi::module {

metrics::Figures figures_of(const ModuleFigures& module) {
    metrics::Figures figures;
    metrics::add_build(figures, "divisi-module", divisi::version);
    const metrics::Labels here{{"module", module.module}};
    const auto gauge = [&](const char* name, const char* help, auto value) {
        figures.gauge(name, help, here, static_cast<double>(value));
    };
    figures.gauge("divisi_module_info", "Version of the module, as a label; always 1.",
                  {{"module", module.module}, {"version", module.version}}, 1);
    gauge("divisi_module_connected", "1 while the module is connected to the orchestrator, else 0.",
          module.connected ? 1 : 0);
    gauge("divisi_module_advises", "1 while the orchestrator takes advice of the module, else 0.",
          module.advises ? 1 : 0);
    gauge("divisi_module_routes", "Routes from one gateway to another that the module watches.", module.routes);
    gauge("divisi_module_links", "Directions of links that the module watches.", module.links);
    figures.total("divisi_module_observations_total", "Observations that the module received and answered.", here,
                  static_cast<double>(module.observations));
    figures.total("divisi_module_advice_total", "Pieces of advice that the module gave.", here,
                  static_cast<double>(module.advice));
    for (const auto outcome : {control::AdviceOutcome::taken, control::AdviceOutcome::refused,
                               control::AdviceOutcome::held, control::AdviceOutcome::expired}) {
        const auto found = module.outcomes.find(outcome);
        figures.total("divisi_module_echoes_total",
                      "Results of the module's advice, as reported by the orchestrator: taken, refused, held, expired.",
                      {{"module", module.module}, {"outcome", control::to_string(outcome)}},
                      found == module.outcomes.end() ? 0 : static_cast<double>(found->second));
    }
    return figures;
}

}  // namespace divisi::module
